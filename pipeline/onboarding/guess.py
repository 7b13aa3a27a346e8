"""What a proposal is made of: a value, and the reason that will stand beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T", covariant=True)


@dataclass(frozen=True)
class Guess(Generic[T]):
    """A proposed setting; `why` becomes the comment beside it."""

    value: T
    why: str
