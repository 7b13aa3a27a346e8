"""Checks that this machine has the GPUs or the TPU that `training` asks for.

This module imports no TensorFlow: the caller counts the GPUs.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pipeline.core.errors import ConfigError

_LOCAL = "local"
"""TensorFlow's name for a TPU of this machine."""
_NAMES = ("TPU_NAME", "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS")
"""The variables that name a remote TPU: Compute Engine's or the user's, and Kubernetes'."""
_OF_TPU_MACHINES = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_ACCELERATOR_TYPE")
"""The variables that a machine with a TPU has."""


def find_tpu(environment: Mapping[str, str] = os.environ) -> str | None:
    """Returns TensorFlow's name of the TPU that the environment variables offer, or None."""
    named = next((environment[name] for name in _NAMES if environment.get(name)), None)
    if named is None and any(environment.get(name) for name in _OF_TPU_MACHINES):
        return _LOCAL
    return named


def require_tpu() -> str:
    """Returns TensorFlow's name of the TPU that the environment variables offer.

    Raises:
      ConfigError: they offer none.
    """
    if name := find_tpu():
        return name
    variables = ", ".join((*_NAMES, *_OF_TPU_MACHINES))
    raise no_tpu_error(f"the environment names none: none of {variables} is set")


def no_tpu_error(cause: str) -> ConfigError:
    """Returns the error of a training with strategy tpu that finds no TPU."""
    return ConfigError(
        f"training.strategy: no TPU: {cause}",
        "run on a machine with a TPU, or set strategy mirrored or none",
    )


def require_gpu(number: int, count: int) -> None:
    """Raises ConfigError if a machine with `count` GPUs has no GPU of this number."""
    if number >= count:
        found = f"{count}, counted from 0" if count else "none"
        raise ConfigError(
            f"training.devices: there is no GPU {number}; this machine has {found}",
            "leave training.devices out to train on all devices of the machine",
        )
