"""What became of the versions of past runs, from the serving directory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from components.served_model.changes import Changes, read_changes
from components.served_model.waiting import list_waiting

ServedState = Literal["now", "before", "withdrawn", "waiting", ""]


@dataclass(frozen=True)
class ServingStates:
    """What the serving directory says about versions and candidates."""

    served: str | None
    """The version that is served now."""
    changes: Changes
    withdrawn: Collection[str]
    waiting: Collection[str]

    @classmethod
    def read(cls, serving: Path, served: str | None) -> ServingStates:
        """Returns the states in a serving directory.

        Raises:
          ConfigError: the pointer or the file of a candidate is damaged, or cannot be read.
        """
        changes = read_changes(str(serving))
        waiting = {candidate.number for candidate in list_waiting(str(serving))}
        return cls(served, changes, {*changes.withdrawals()}, waiting)

    def describe(self, number: str, *, waited: bool) -> tuple[str, ServedState]:
        """Returns the version of a run, and whether it is served.

        Args:
          number: of the version that the run pushed, or under which its model waited.
          waited: whether the run itself pushed nothing.
        """
        if number in self.waiting:
            return number, "waiting"
        version = self.changes.rename_candidate(number)
        if version == self.served:
            return version, "now"
        if version in self.withdrawn:
            return version, "withdrawn"
        # `serving.keep_versions` removed candidates that nobody promoted.
        was_served = not waited or self.changes.last(version)
        return version, "before" if was_served else ""
