"""Further training of a finished network, so that a smaller export of it loses less."""
