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


def percent(share: float) -> str:
    """A share as a reader wants it: 0.5 % and 99.97 %, but 12 %."""
    shown = 100 * share
    if shown in (0, 100) or 1 <= shown < 99:
        return f"{shown:.0f} %"
    return f"{min(max(shown, 0.01), 99.99):.2g} %" if shown < 1 else f"{min(shown, 99.99):.2f} %"


def counted(number: int, thing: str) -> str:
    """`1 row`, `15,000 rows`."""
    plural = thing[:-1] + "ies" if thing.endswith("y") else thing + "s"
    return f"{number:,} {thing if number == 1 else plural}"
