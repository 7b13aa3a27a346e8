"""A TPU: found, connected to and initialised, in the one order that works."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Protocol

import tensorflow as tf

from pipeline.config import ConfigError

_LOCAL = "local"
"""What TensorFlow calls a TPU of this machine."""
_NAMES = ("TPU_NAME", "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS")
"""The variables that name a TPU elsewhere: of Compute Engine and users, and of Kubernetes."""
_OF_TPU_MACHINES = ("TPU_WORKER_ID", "TPU_WORKER_HOSTNAMES", "TPU_ACCELERATOR_TYPE")
"""The variables of machines that have a TPU."""


class Platform(Protocol):
    """What is done with a TPU, each step after the one before."""

    def resolve(self, name: str) -> Any:
        """Finds out the TPU's addresses."""

    def connect(self, resolver: Any) -> None:
        """Makes its devices known here."""

    def initialize(self, resolver: Any) -> None:
        """Clears its memory and sets it up; before, nothing may run on it."""

    def strategy(self, resolver: Any) -> tf.distribute.Strategy:
        """The strategy over its cores."""


class TensorFlowPlatform:
    """TensorFlow's own functions."""

    def resolve(self, name: str) -> Any:
        return tf.distribute.cluster_resolver.TPUClusterResolver(name)

    def connect(self, resolver: Any) -> None:
        tf.config.experimental_connect_to_cluster(resolver)

    def initialize(self, resolver: Any) -> None:
        tf.tpu.experimental.initialize_tpu_system(resolver)

    def strategy(self, resolver: Any) -> tf.distribute.Strategy:
        return tf.distribute.TPUStrategy(resolver)


def tpu_name(environment: Mapping[str, str] = os.environ) -> str | None:
    """The TPU that the environment offers, as TensorFlow names it, or None."""
    named = next((environment[name] for name in _NAMES if environment.get(name)), None)
    if named is None and any(environment.get(name) for name in _OF_TPU_MACHINES):
        return _LOCAL
    return named


def make_tpu_strategy(name: str | None, platform: Platform | None = None) -> tf.distribute.Strategy:
    """The strategy over the cores of the TPU called `name`.

    Raises:
      ConfigError: there is no TPU of this name, or it does not answer.
    """
    if not name:
        variables = ", ".join((*_NAMES, *_OF_TPU_MACHINES))
        raise _no_tpu(f"the environment names none: not one of {variables} is set")
    platform = platform or TensorFlowPlatform()
    try:
        resolver = platform.resolve(name)
        platform.connect(resolver)
        platform.initialize(resolver)
        return platform.strategy(resolver)
    except (tf.errors.OpError, OSError, RuntimeError, ValueError) as error:
        raise _no_tpu(f"'{name}' cannot be used: {str(error).splitlines()[0]}") from error


def _no_tpu(what: str) -> ConfigError:
    return ConfigError(
        f"training.strategy: no TPU: {what}",
        "run on a machine with a TPU, or take strategy mirrored or none",
    )
