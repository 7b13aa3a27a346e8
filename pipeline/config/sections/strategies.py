"""Which settings of `training` a distribution strategy does not support, and why.

This is the one table behind three readers: the check of the configuration, the check in the
trainer after `auto` has become a strategy, and the matrix in docs/training.md. Where TensorFlow is
the obstacle, a test sees it fail; the other combinations were never implemented.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Literal

Strategy = Literal[
    "auto", "none", "mirrored", "multi_worker", "parameter_server", "central_storage", "tpu"
]

MEANINGS: Mapping[Strategy, str] = {
    "auto": "chosen by the environment: a cluster in TF_CONFIG, else mirrored on several GPUs, "
    "else a TPU, else none",
    "none": "one device",
    "mirrored": "all GPUs of one machine, each with a copy of the weights",
    "multi_worker": "several processes or machines, each device with a copy of the weights",
    "parameter_server": "several processes or machines, each taking its own steps on weights that "
    "servers keep",
    "central_storage": "all GPUs of one machine, the weights in one place",
    "tpu": "all cores of a TPU, each with a copy of the weights",
}


@dataclass(frozen=True)
class Setting:
    """A value of a key in `training` that some strategies do not support."""

    key: str
    """The key in the section `training`."""
    words: str
    """The setting as messages and docs name it."""
    is_chosen: Callable[[Any], bool]
    """Returns whether a value of the key chooses this setting."""

    @classmethod
    def of(cls, key: str, value: Any) -> Setting:
        """Returns the setting that one value of a key stands for."""
        return cls(key, f"{key}: {str(value).lower()}", lambda chosen: chosen == value)


FLOAT16 = Setting.of("precision", "mixed_float16")
BFLOAT16 = Setting.of("precision", "mixed_bfloat16")
JIT = Setting.of("jit_compile", True)
CUSTOM_LOOP = Setting.of("loop", "custom")
MICRO_BATCHES = Setting("micro_batch_size", "micro_batch_size", lambda size: size is not None)
SEVERAL_WORKERS = Setting("workers", "several workers", lambda count: count > 1)
PARAMETER_SERVERS = Setting(
    "parameter_servers", "parameter_servers", lambda count: count is not None
)
PROFILE = Setting(
    "tensorboard.profile_steps", "tensorboard.profile_steps", lambda steps: steps is not None
)

SETTINGS = (
    FLOAT16, BFLOAT16, JIT, CUSTOM_LOOP, MICRO_BATCHES, PROFILE, SEVERAL_WORKERS,
    PARAMETER_SERVERS,
)  # fmt: skip
"""The columns of the matrix in docs/training.md."""


@dataclass(frozen=True)
class Restriction:
    """A setting that some strategies do not support."""

    strategies: tuple[Strategy, ...]
    setting: Setting
    reason: str
    instead: str
    """What the user can set instead, as an imperative."""

    def describe(self, strategy: str) -> str:
        """Returns the sentence for a configuration that chose both."""
        return f"not with strategy {strategy}: {self.reason}; {self.instead}"


RESTRICTIONS = (
    Restriction(
        ("central_storage", "parameter_server"),
        FLOAT16,
        "it cannot keep the loss scale that float16 needs",
        "take mixed_bfloat16, or strategy mirrored or multi_worker",
    ),
    Restriction(
        ("central_storage", "parameter_server"),
        JIT,
        "XLA cannot read weights that lie on another device",
        "leave it out, or take strategy mirrored or multi_worker",
    ),
    Restriction(
        ("parameter_server",),
        CUSTOM_LOOP,
        "Keras schedules its steps",
        "take loop fit, or strategy multi_worker",
    ),
    Restriction(
        ("tpu",),
        CUSTOM_LOOP,
        "the custom loop was never tried on a TPU",
        "take loop fit",
    ),
    Restriction(
        ("parameter_server",),
        PROFILE,
        "the chief would take the profile, but other processes execute the steps",
        "leave it out, or take strategy multi_worker",
    ),
    Restriction(
        ("tpu",),
        MICRO_BATCHES,
        "a TPU needs fixed shapes, and the last micro-batch may be smaller",
        "lower global_batch_size",
    ),
    Restriction(
        ("none", "mirrored", "central_storage", "tpu"),
        SEVERAL_WORKERS,
        "it has one worker",
        "take strategy multi_worker",
    ),
    Restriction(
        ("auto", "none", "mirrored", "multi_worker", "central_storage", "tpu"),
        PARAMETER_SERVERS,
        "its workers keep the weights themselves",
        "leave it out, or take strategy parameter_server",
    ),
)


def find_restriction(strategy: str, training: Any) -> Restriction | None:
    """Returns the first restriction of `strategy` that the section `training` breaks, or None."""
    for restriction in RESTRICTIONS:
        value = attrgetter(restriction.setting.key)(training)
        if strategy in restriction.strategies and restriction.setting.is_chosen(value):
            return restriction
    return None
