"""The section `engine`, and the Beam flags that follow from it."""
