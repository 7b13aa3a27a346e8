"""A proposed value with the reason that the written file gives for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Guess(Generic[T]):
    """A proposed setting; `why` becomes the YAML comment beside it."""

    value: T
    why: str
