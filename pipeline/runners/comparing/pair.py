"""Two things of the same kind: the earlier run's and the later run's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Pair(Generic[T]):
    """The thing of the run before, and the thing of the run after."""

    before: T
    after: T

    def __iter__(self) -> Iterator[T]:
        yield self.before
        yield self.after

    def map(self, function: Callable[[T], U]) -> Pair[U]:
        """Returns the results of a function."""
        return Pair(function(self.before), function(self.after))

    def is_equal(self) -> bool:
        """Whether both runs have the same."""
        return self.before == self.after
