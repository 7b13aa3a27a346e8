"""Which settings of training a distribution strategy cannot have, and why.

The one table behind the check of the configuration, the check in the trainer, where `auto` has
become a strategy, and the page in the docs. Each line was seen to fail.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Strategy = Literal["auto", "none", "mirrored", "multi_worker", "central_storage"]

MEANINGS: Mapping[Strategy, str] = {
    "auto": "multi_worker where there are several workers, mirrored on several GPUs, else none",
    "none": "one device",
    "mirrored": "all GPUs of one machine, each with a copy of the weights",
    "multi_worker": "several processes or machines, each device with a copy of the weights",
    "central_storage": "all GPUs of one machine, the weights in one place",
}


@dataclass(frozen=True)
class Refusal:
    """A setting that a strategy cannot have."""

    strategy: Strategy
    setting: str
    value: Any
    reason: str
    instead: str

    def __str__(self) -> str:
        return f"not with strategy {self.strategy}: {self.reason}; {self.instead}"


REFUSALS = (
    Refusal(
        "central_storage",
        "loop",
        "custom",
        "the loop was written for copies of the weights that are kept alike",
        "take loop fit, or strategy mirrored",
    ),
    Refusal(
        "central_storage",
        "precision",
        "mixed_float16",
        "it cannot keep the loss scale that float16 needs",
        "take mixed_bfloat16, or strategy mirrored",
    ),
    Refusal(
        "central_storage",
        "jit_compile",
        True,
        "XLA reads no weights that lie on another device",
        "leave it out, or take strategy mirrored",
    ),
)
SEVERAL_WORKERS = ("auto", "multi_worker")
"""The strategies for more than one worker."""


def refusal_of(strategy: str, settings: Mapping[str, Any]) -> Refusal | None:
    """What of the training section `strategy` cannot have, or None."""
    for refusal in REFUSALS:
        if refusal.strategy == strategy and settings[refusal.setting] == refusal.value:
            return refusal
    return None
