"""The networks: one file a family, all between the same inputs and the task's head."""

from trainer_module.models.network import build_model

__all__ = ["build_model"]
