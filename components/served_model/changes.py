"""The changes of the served version: who served what since when, and what was withdrawn and why.

The pointer file holds the changes beside the record of the served model. So one atomic write
changes both, and no kill can separate them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import Literal

from components.served_model.served_record import (
    CHANGES,
    PENDING,
    ServedRecord,
    parse_record,
    read_pointer_text,
)

Action = Literal["push", "promote", "rollback"]


@dataclass(frozen=True)
class Change:
    """One change of the served version."""

    action: Action
    version: str
    """The version that was served from then on."""
    run_key: str
    """The run key of the version's record; empty if unknown."""
    at: str
    """ISO 8601 in UTC."""
    by: str = ""
    """The person (user@host) who changed it; empty for a run's push."""
    reason: str = ""
    run: str = ""
    """The id of the run that made the model, as TFX names it; empty if unknown."""
    before: str = ""
    """The version that was served until then; empty if there was none."""
    candidate: str = ""
    """The number under which the version waited for `promote`, if that number differs."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Of a rollback: the run keys of the versions that must not be pushed again, by version."""


@dataclass(frozen=True)
class Withdrawal:
    """The rollback that withdrew a version."""

    version: str
    change: Change

    def describe(self) -> str:
        """Returns a sentence without its full stop."""
        change = self.change
        by = f" by {change.by}" if change.by else ""
        reason = f", because: {change.reason}" if change.reason else ""
        return (
            f"version {self.version}, which is this model, was withdrawn{by} on {change.at[:10]} "
            f"by a rollback to version {change.version}{reason}"
        )

    def to_property(self) -> str:
        """Returns the text by which the cache tells this withdrawal from others."""
        return f"{self.version} withdrawn {self.change.at}"


@dataclass(frozen=True)
class Changes:
    """All changes that are on record in a serving directory, the oldest one first."""

    entries: tuple[Change, ...] = ()

    def list_served(self) -> list[str]:
        """Returns the versions that replaced each other, the one served now last.

        A rollback takes the versions that it withdraws out of this list.
        """
        served: list[str] = []
        for change in self.entries:
            gone = {*change.withdrawn, change.version}
            served = [version for version in served if version not in gone]
            served.append(change.version)
        return served

    def last(self, version: str) -> Change | None:
        """Returns the change that served the version last; None if none is on record."""
        return next((c for c in reversed(self.entries) if c.version == version), None)

    def withdrawals(self) -> dict[str, Withdrawal]:
        """Returns why a version is withdrawn, by the version."""
        found: dict[str, Withdrawal] = {}
        for change in self.entries:
            found |= {version: Withdrawal(version, change) for version in change.withdrawn}
            found.pop(change.version, None)
        return found

    def find_withdrawal(self, run_key: str) -> Withdrawal | None:
        """Returns why the model with this run key is withdrawn; None if it may be pushed."""
        found: Withdrawal | None = None
        for change in self.entries:
            withdrawn = [v for v, key in change.withdrawn.items() if key == run_key]
            if withdrawn:
                found = Withdrawal(withdrawn[-1], change)
            # Whoever serves an equal model again has changed his mind.
            if change.run_key == run_key:
                found = None
        return found

    def rename_candidate(self, number: str) -> str:
        """Returns the version that a waiting candidate became; `number` if it kept its number."""
        renamed = {c.candidate: c.version for c in self.entries if c.candidate}
        return renamed.get(number, number)

    def add(self, change: Change, existing: Collection[str]) -> Changes:
        """Returns the changes with a new one.

        Forgets pushes and promotions of versions that are not in `existing`. Rollbacks stay
        forever: a withdrawn model must not come back because its files are gone.
        """
        kept = (c for c in self.entries if c.action == "rollback" or c.version in existing)
        return Changes((*kept, change))


def now() -> str:
    """Returns the time of a change."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def to_pointer_text(record: ServedRecord, changes: Changes) -> str:
    """Returns the content of the pointer file."""
    content = asdict(record) | {CHANGES: [asdict(change) for change in changes.entries]}
    return json.dumps(content, indent=1, sort_keys=True)


def read_changes(serving_directory: str) -> Changes:
    """Returns the changes on record in a serving directory.

    Earlier releases wrote none, and served their versions in the order of the numbers.

    Raises:
      ConfigError: the pointer is damaged or cannot be read.
    """
    path, text = read_pointer_text(serving_directory)
    record = parse_record(text, path)
    if record is None:
        return Changes()
    content = json.loads(text)
    if CHANGES in content:
        return Changes(tuple(Change(**change) for change in content[CHANGES]))
    return _guess_changes(record, list_whole_versions(serving_directory, record.version))


def list_whole_versions(serving_directory: str, served: str) -> list[str]:
    """Returns the versions in the directory, the oldest first, without one of an unfinished push.

    Args:
      served: the version that the pointer names.
    """
    try:
        names = os.listdir(serving_directory)
    except FileNotFoundError:
        return []
    pending = read_pending(serving_directory) if PENDING in names else None
    found = (n for n in names if n.isdigit() and (n != pending or n == served))
    return sorted((n for n in found if os.path.isdir(os.path.join(serving_directory, n))), key=int)


def read_pending(serving_directory: str) -> str | None:
    """Returns the version that a push has begun and not confirmed; None without such a push."""
    try:
        with open(os.path.join(serving_directory, PENDING), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _guess_changes(record: ServedRecord, versions: Sequence[str]) -> Changes:
    """Returns the pushes that made `versions`: a number is the second of its push."""
    known = [one for one in (record, record.reference, record.baseline) if one]
    keys = {one.version: one.run_key for one in known}
    older = [version for version in versions if int(version) < int(record.version)]
    pushes = [
        Change("push", version, keys.get(version, ""), _time_of(version), before=before)
        for before, version in zip(["", *older], [*older, record.version], strict=True)
    ]
    return Changes(tuple(pushes))


def _time_of(version: str) -> str:
    try:
        return datetime.fromtimestamp(int(version), timezone.utc).isoformat()
    except (OverflowError, ValueError, OSError):
        return ""
