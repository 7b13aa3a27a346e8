"""A TPU: found, connected to and initialised, in the one order that works."""

from __future__ import annotations

from typing import Any, Protocol

import tensorflow as tf

from pipeline.config.rules.accelerators import no_tpu_error


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


def make_tpu_strategy(name: str, platform: Platform | None = None) -> tf.distribute.Strategy:
    """The strategy over the cores of the TPU called `name`.

    Raises:
      ConfigError: there is no TPU of this name, or it does not answer.
    """
    platform = platform or TensorFlowPlatform()
    try:
        resolver = platform.resolve(name)
        platform.connect(resolver)
        platform.initialize(resolver)
        return platform.strategy(resolver)
    except (tf.errors.OpError, OSError, RuntimeError, ValueError) as error:
        raise no_tpu_error(f"'{name}' cannot be used: {str(error).splitlines()[0]}") from error
