"""Reads transformed examples and makes batches of them; `fit`, `fit_setup` and `models` import it."""
