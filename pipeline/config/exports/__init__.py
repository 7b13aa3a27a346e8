"""The section `exports`, and the rules between it and other keys."""
