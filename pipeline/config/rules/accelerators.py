"""What a training may need of its machine, told before any work and where it trains.

Imports no TensorFlow: it counts the GPUs, here is only said what their number means.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from pipeline.core.errors import ConfigError

_LOCAL = "local"
"""What TensorFlow calls a TPU of this machine."""
_NAMES = ("TPU_NAME", "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS")
"""The variables that name a TPU elsewhere: of Compute Engine and users, and of Kubernetes."""
_OF_TPU_MACHINES = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_ACCELERATOR_TYPE")
"""The variables of machines that have a TPU."""


def tpu_name(environment: Mapping[str, str] = os.environ) -> str | None:
    """The TPU that the environment offers, as TensorFlow names it, or None."""
    named = next((environment[name] for name in _NAMES if environment.get(name)), None)
    if named is None and any(environment.get(name) for name in _OF_TPU_MACHINES):
        return _LOCAL
    return named


def require_tpu() -> str:
    """The TPU that the environment offers.

    Raises:
      ConfigError: it offers none.
    """
    if name := tpu_name():
        return name
    variables = ", ".join((*_NAMES, *_OF_TPU_MACHINES))
    raise no_tpu(f"the environment names none: not one of {variables} is set")


def no_tpu(what: str) -> ConfigError:
    """The error of a training that should be on a TPU."""
    return ConfigError(
        f"training.strategy: no TPU: {what}",
        "run on a machine with a TPU, or take strategy mirrored or none",
    )


def require_gpu(number: int, count: int) -> None:
    """Raises ConfigError if a machine of `count` GPUs has none of this number."""
    if number >= count:
        found = f"{count}, counted from 0" if count else "none"
        raise ConfigError(
            f"training.devices: there is no GPU {number}; this machine has {found}",
            "leave it out to train on what there is",
        )
