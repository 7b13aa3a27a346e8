"""Reads transformed examples and makes batches; the rest of `trainer_module` imports it."""
