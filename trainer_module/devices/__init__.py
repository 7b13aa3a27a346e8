"""Chooses GPUs, threads, a TPU and the distribution strategy; `fit_setup` and `fit` import it."""
