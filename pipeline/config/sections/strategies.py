"""Which settings of training a distribution strategy cannot have, and why.

The one table behind the check of the configuration, the check in the trainer, where `auto` has
become a strategy, and the matrix in the docs. What TensorFlow cannot do, tests see fail; the others
are what nothing was built for.
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
    "auto": "what the environment offers: a cluster in TF_CONFIG, else mirrored on several GPUs, "
    "else a TPU, else none",
    "none": "one device",
    "mirrored": "all GPUs of one machine, each with a copy of the weights",
    "multi_worker": "several processes or machines, each device with a copy of the weights",
    "parameter_server": "several processes or machines, each taking steps of its own on weights "
    "that servers keep",
    "central_storage": "all GPUs of one machine, the weights in one place",
    "tpu": "all cores of a TPU, each with a copy of the weights",
}


@dataclass(frozen=True)
class Choice:
    """What may be chosen in the training section, and not with every strategy."""

    setting: str
    """Its key in the training section."""
    words: str
    made: Callable[[Any], bool]
    """Whether a value of the setting is this choice."""

    @classmethod
    def of(cls, setting: str, value: Any) -> Choice:
        """The choice of one value."""
        return cls(setting, f"{setting}: {str(value).lower()}", lambda given: given == value)


FLOAT16 = Choice.of("precision", "mixed_float16")
BFLOAT16 = Choice.of("precision", "mixed_bfloat16")
JIT = Choice.of("jit_compile", True)
CUSTOM_LOOP = Choice.of("loop", "custom")
PIECES = Choice("micro_batch_size", "micro_batch_size", lambda size: size is not None)
SEVERAL_WORKERS = Choice("workers", "several workers", lambda count: count > 1)
SERVERS = Choice("parameter_servers", "parameter_servers", lambda count: count is not None)
PROFILE = Choice(
    "tensorboard.profile_steps", "tensorboard.profile_steps", lambda steps: steps is not None
)

CHOICES = (FLOAT16, BFLOAT16, JIT, CUSTOM_LOOP, PIECES, PROFILE, SEVERAL_WORKERS, SERVERS)


@dataclass(frozen=True)
class Refusal:
    """A choice that some strategies cannot have."""

    strategies: tuple[Strategy, ...]
    choice: Choice
    reason: str
    instead: str

    def told(self, strategy: str) -> str:
        """The refusal in a sentence, for the configuration that made the choice."""
        return f"not with strategy {strategy}: {self.reason}; {self.instead}"


REFUSALS = (
    Refusal(
        ("central_storage", "parameter_server"),
        FLOAT16,
        "it cannot keep the loss scale that float16 needs",
        "take mixed_bfloat16, or strategy mirrored or multi_worker",
    ),
    Refusal(
        ("central_storage", "parameter_server"),
        JIT,
        "XLA reads no weights that lie on another device",
        "leave it out, or take strategy mirrored or multi_worker",
    ),
    Refusal(
        ("parameter_server",),
        CUSTOM_LOOP,
        "it is Keras that hands its steps out",
        "take loop fit, or strategy multi_worker",
    ),
    Refusal(
        ("tpu",),
        CUSTOM_LOOP,
        "nobody has seen it run on a TPU, for which Keras's loop was made",
        "take loop fit",
    ),
    Refusal(
        ("parameter_server",),
        PROFILE,
        "the steps are made in other processes than the one that would take the profile",
        "leave it out, or take strategy multi_worker",
    ),
    Refusal(
        ("tpu",),
        PIECES,
        "a TPU needs to know all shapes beforehand, and the last piece may be smaller",
        "lower global_batch_size",
    ),
    Refusal(
        ("none", "mirrored", "central_storage", "tpu"),
        SEVERAL_WORKERS,
        "it has one worker",
        "take strategy multi_worker",
    ),
    Refusal(
        ("auto", "none", "mirrored", "multi_worker", "central_storage", "tpu"),
        SERVERS,
        "its workers keep the weights themselves",
        "leave it out, or take strategy parameter_server",
    ),
)


def refusal_of(strategy: str, training: Any) -> Refusal | None:
    """Why `strategy` cannot have what the training section chooses, or None."""
    for refusal in REFUSALS:
        value = attrgetter(refusal.choice.setting)(training)
        if strategy in refusal.strategies and refusal.choice.made(value):
            return refusal
    return None
