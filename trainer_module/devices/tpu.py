"""Connects to a TPU: resolves, connects and initialises it, in the order that TensorFlow needs."""

from __future__ import annotations

from typing import Any, Protocol

import tensorflow as tf

from pipeline.config.rules.accelerators import no_tpu_error


class Platform(Protocol):
    """The steps to a TPU strategy, in the order in which they are called."""

    def resolve(self, name: str) -> Any:
        """Returns a cluster resolver that knows the TPU's addresses."""

    def connect(self, resolver: Any) -> None:
        """Makes the TPU's devices known to this process."""

    def initialize(self, resolver: Any) -> None:
        """Clears the TPU's memory and sets the TPU up; no operation may run on it before."""

    def strategy(self, resolver: Any) -> tf.distribute.Strategy:
        """Returns the strategy over the TPU's cores."""


class TensorFlowPlatform:
    """The steps by TensorFlow's functions."""

    def resolve(self, name: str) -> Any:
        return tf.distribute.cluster_resolver.TPUClusterResolver(name)

    def connect(self, resolver: Any) -> None:
        tf.config.experimental_connect_to_cluster(resolver)

    def initialize(self, resolver: Any) -> None:
        tf.tpu.experimental.initialize_tpu_system(resolver)

    def strategy(self, resolver: Any) -> tf.distribute.Strategy:
        return tf.distribute.TPUStrategy(resolver)


def make_tpu_strategy(name: str, platform: Platform | None = None) -> tf.distribute.Strategy:
    """Returns the strategy over the cores of the TPU called `name`.

    Raises:
      ConfigError: there is no TPU of this name, or the TPU does not answer.
    """
    platform = platform or TensorFlowPlatform()
    try:
        resolver = platform.resolve(name)
        platform.connect(resolver)
        platform.initialize(resolver)
        return platform.strategy(resolver)
    except (tf.errors.OpError, OSError, RuntimeError, ValueError) as error:
        raise no_tpu_error(f"'{name}' cannot be used: {str(error).splitlines()[0]}") from error
