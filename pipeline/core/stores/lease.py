"""Lease: the right of one run or prediction to write to an output in an object store.

A store has no locks that end with their process. So the holder puts a mark, and renews the mark
while it works. Whoever finds a mark watches it for a while: a mark that changes belongs to a
holder at work, one that does not change was left by a kill and is taken over. All puts have the
condition that nobody else has put the mark meanwhile. A holder that was suspended for longer thus
learns that it has lost its lease, and writes nothing any more.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import LostRaceError, Remote
from pipeline.core.threads import work_beside

_RENEWAL_SECONDS = 5.0
_WATCH_SECONDS = 30.0
"""Six renewals: one that a busy store refuses is repeated within this time."""

_FRESH_SECONDS = 60
"""The age of a mark that its holder renews, with clocks that differ by most of a minute."""

_lost: dict[str, str] = {}
"""The outputs of which this process has lost the lease, and what the process is."""


class LostLeaseError(PipelineError):
    """Another holder has taken the output over."""


@contextlib.contextmanager
def hold_lease(address: str, key: str, holder: str) -> Iterator[None]:
    """Holds the lease of an output while the context lasts.

    Args:
      key: the key of the mark, below the output.
      holder: what works in the output, for messages: "run" or "prediction".

    Raises:
      ConfigError: another one holds the lease, or the store refuses access.
    """
    lease = _Lease(Remote(address), key, holder)
    _lost.pop(address, None)
    lease.acquire()
    try:
        with work_beside(lease.renew, "lease"):
            yield
    finally:
        lease.release()


def refuse_lost(address: str) -> None:
    """Raises LostLeaseError if this process has lost the lease of an output that it held."""
    if address in _lost:
        raise LostLeaseError(
            f"--output {address}: another {_lost[address]} has taken the output over, since this "
            "one was not heard of for a while",
            "repeat the command when the other one has ended",
        )


def is_lost(address: str) -> bool:
    """Whether this process has lost the lease of an output that it held."""
    return address in _lost


def is_held(address: str, key: str) -> bool:
    """Whether somebody holds the lease, as far as the time of the mark tells.

    Raises:
      ConfigError: the store refuses access.
      PipelineError: the store does not answer.
    """
    remote = Remote(address)
    found, put = remote.read(key), remote.read_time(key)
    if found is None or put is None or not _parse(found[0]).get("token"):
        return False
    return (datetime.now(timezone.utc) - put).total_seconds() < _FRESH_SECONDS


class _Lease:
    def __init__(self, remote: Remote, key: str, holder: str) -> None:
        self._remote = remote
        self._key = key
        self._holder = holder
        self._token = secrets.token_hex(8)
        self._number = 0
        self._condition: Mapping[str, str] = {}

    def acquire(self) -> None:
        found = self._remote.read(self._key)
        if found is not None:
            holder = _parse(found[0])
            if holder.get("token"):
                self._watch(holder, found[1])
            self._condition = found[1]
        if not self._put(self._token):
            raise self._make_error(self._read())

    def _watch(self, holder: Mapping[str, Any], condition: Mapping[str, str]) -> None:
        """Raises ConfigError if the holder of the lease renews or changes its mark."""
        pause = threading.Event()
        for _ in range(round(_WATCH_SECONDS / _RENEWAL_SECONDS)):
            pause.wait(_RENEWAL_SECONDS)
            if self._remote.read_condition(self._key) != condition:
                raise self._make_error(holder)

    def renew(self, ended: threading.Event) -> None:
        """Renews the mark until the lease ends or is lost."""
        while not ended.wait(_RENEWAL_SECONDS):
            # A store that fails is asked again: whoever takes the mark over makes the put fail.
            with contextlib.suppress(PipelineError):
                if not self._put(self._token):
                    _lost[self._remote.address] = self._holder
                    return

    def release(self) -> None:
        """Marks the output as free. The mark stays, and tells whose directory it is."""
        if self._remote.address not in _lost:
            with contextlib.suppress(PipelineError):
                self._put("")

    def _put(self, token: str) -> bool:
        """Replaces the mark if it is ours still; returns whether it was."""
        self._number += 1
        by = f"{socket.gethostname()}:{os.getpid()}"
        # The number gives each mark another ETag, which may be a hash of the content.
        mark = {"token": token, "by": by, "of": self._token, "number": self._number}
        while True:
            try:
                self._condition = self._remote.put_if(
                    self._key, json.dumps(mark).encode(), self._condition
                )
                return True
            except LostRaceError:
                # A put whose answer was lost was done: this one, repeated by the client, or an
                # earlier one. The mark is ours in both cases, with a condition that we do not know.
                found = self._remote.read(self._key)
                if found is None or _parse(found[0]).get("of") != self._token:
                    return False
                self._condition = found[1]
                if _parse(found[0]) == mark:
                    return True

    def _read(self) -> Mapping[str, Any]:
        found = self._remote.read(self._key)
        return _parse(found[0]) if found else {}

    def _make_error(self, holder: Mapping[str, Any]) -> ConfigError:
        by = holder.get("by", "an unknown process")
        return ConfigError(
            f"--output {self._remote.address}: another {self._holder} is at work here ({by})",
            "wait for its end, or name another address",
        )


def _parse(content: bytes) -> dict[str, Any]:
    try:
        mark = json.loads(content)
    except ValueError:
        return {}
    return mark if isinstance(mark, dict) else {}
