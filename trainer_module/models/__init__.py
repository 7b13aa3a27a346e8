"""The networks: one file for each family; `fit_setup` and the benchmarks import `build_model`."""

from trainer_module.models.network import build_model

__all__ = ["build_model"]
