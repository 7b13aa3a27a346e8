"""Decides when the workers load a version and when all of them switch to it.

All workers load the new version beside the current one. When the last of them has it, all switch.
If one cannot load it, none switches. The class sends messages and has no other effects.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from serving.processes.messages import Discard, Drain, Load, Switch, Version

_MOST_DEATHS = 2
"""Workers that may end while they load a version before it counts as the cause: one may have been
killed for another reason."""


class Rollout:
    """The versions of all workers; a worker is known by its number."""

    def __init__(self, send: Callable[[int, Any], None]) -> None:
        self.current: Version | None = None
        self.candidate: Version | None = None
        self.problem = ""
        """Why the version that should be served is not served."""
        self._send = send
        self._members: set[int] = set()
        """The living workers."""
        self._ready: set[int] = set()
        """The workers that serve the current version."""
        self._loaded: set[int] = set()
        """The workers that have loaded the candidate."""
        self._deaths = 0

    def propose(self, version: Version) -> None:
        """Lets the workers load the version, unless it is the current one or the candidate."""
        if self.candidate is not None:
            return
        if self.current is not None and version.version == self.current.version:
            self.report("")
            return
        self.candidate, self._loaded, self._deaths = version, set(), 0
        for worker in self._members if self.current is None else self._ready:
            self._ask_to_load(worker, version)

    def report(self, problem: str) -> None:
        """Tells the workers why the version that should be served is not served."""
        if problem != self.problem:
            self.problem = problem
            self._broadcast(Discard(problem))

    def join(self, worker: int) -> None:
        """A worker was started."""
        self._members.add(worker)
        if version := self.current or self.candidate:
            self._ask_to_load(worker, version)

    def leave(self, worker: int) -> None:
        """A worker has ended."""
        was_loading = (worker in self._ready or self.current is None) and worker not in self._loaded
        for group in (self._members, self._ready, self._loaded):
            group.discard(worker)
        if self.candidate is None:
            return
        if was_loading:
            self._deaths += 1
        if self._deaths >= _MOST_DEATHS:
            self._refuse(
                self.candidate, f"{self.candidate.version}: processes ended while they loaded it"
            )
        else:
            self._switch_if_all_loaded()

    def loaded(self, worker: int, version: str) -> None:
        """A worker has loaded a version."""
        if self.current is not None and version == self.current.version:
            self._ready.add(worker)
            self._send(worker, Switch())
            if self.problem:
                self._send(worker, Discard(self.problem))
            if self.candidate is not None:
                self._ask_to_load(worker, self.candidate)
        elif self.candidate is not None and version == self.candidate.version:
            self._loaded.add(worker)
            self._switch_if_all_loaded()
        else:
            self._take_back(worker, version)

    def failed(self, worker: int, version: str, error: str) -> None:
        """A worker could not load a version."""
        if self.candidate is not None and version == self.candidate.version:
            self._refuse(self.candidate, error)
        elif worker not in self._ready:
            self._replace_current(worker)

    def _replace_current(self, worker: int) -> None:
        """Handles a restarted worker that cannot load the current version any more."""
        if self.candidate is not None and not self._ready:
            # No worker serves the current version, so the candidate can only be better.
            self.current = None
            self._ask_to_load(worker, self.candidate)
        else:
            self._send(worker, Drain())

    def _switch_if_all_loaded(self) -> None:
        waiting = self._members if self.current is None else self._ready
        if self._loaded and waiting <= self._loaded:
            self.current, self.candidate, self.problem = self.candidate, None, ""
            self._ready = set(self._loaded)
            for worker in self._loaded:
                self._send(worker, Switch())

    def _take_back(self, worker: int, outdated: str) -> None:
        """Lets a worker whose version is out of date load the right one instead."""
        self._send(worker, Discard(self.problem, outdated))
        version = self.current or self.candidate
        if version is not None and worker not in self._ready:
            self._ask_to_load(worker, version)

    def _refuse(self, version: Version, problem: str) -> None:
        self.candidate = None
        self.problem = problem
        self._broadcast(Discard(problem, version.version))

    def _broadcast(self, message: Any) -> None:
        for worker in self._members:
            self._send(worker, message)

    def _ask_to_load(self, worker: int, version: Version) -> None:
        self._send(worker, Load(**dataclasses.asdict(version)))
