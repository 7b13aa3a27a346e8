"""The versions that a worker process holds: the current one, and one that is about to follow.

A request leases the current version when it arrives and keeps that version until it is answered.
So no request is answered by two versions, and a version is closed after its last request.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from pipeline.core.contracts import Signature as SignatureName
from pipeline.core.errors import as_pipeline_error
from serving.errors import RequestError, bad_request
from serving.model.batcher import Batcher, BatchLimits, Meter
from serving.model.example_row import ColumnExample, add_usual_values, read_examples
from serving.model.saved_model import SavedModel
from serving.rows.signature import Signature
from serving.waiting import call_in_daemon, time_limit


@dataclass(eq=False)
class LoadedVersion:
    """A version in memory."""

    version: str
    model: SavedModel
    batcher: Batcher
    examples: Mapping[str, ColumnExample]
    """An example for each column of the default signature."""
    positive_class: str = ""
    """The class of two whose probability the model returns; empty if unknown."""
    leases: int = 0
    is_free: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the version is retired and its last lease has ended."""
    is_retired: bool = False

    def find_signature(self, name: str) -> Signature:
        """Returns the signature of this name.

        Raises:
          RequestError: the model has no such signature.
        """
        signature = self.model.signatures.get(name)
        if signature is None:
            known = ", ".join(self.model.signatures)
            raise bad_request(f"the model has no signature '{name}'; it has {known}")
        return signature


class Versions:
    """The versions of one worker. All methods belong to the event loop's thread."""

    def __init__(
        self,
        name: str,
        limits: BatchLimits,
        threads: int,
        load_seconds: float = 300.0,
        meter: Meter | None = None,
    ) -> None:
        """Makes the place for versions; no version is loaded.

        Args:
          threads: the cores that one operation of the model may use.
          load_seconds: how long loading a version may take.
          meter: gets the numbers for the metrics.
        """
        self.name = name
        self.current: LoadedVersion | None = None
        self.candidate: LoadedVersion | None = None
        self.loading = ""
        """The version that is being loaded; empty if there is none."""
        self.problem = ""
        """Why the version that should be served is not served; empty if it is served."""
        self._limits = limits
        self._threads = threads
        self._load_seconds = load_seconds
        self._meter = meter
        self._closing: set[asyncio.Task[None]] = set()

    async def load(
        self, version: str, directory: str, statistics: str, positive_class: str = ""
    ) -> str:
        """Loads a version beside the current one; returns an error message, or an empty text."""
        self.loading = version
        try:
            with time_limit(self._load_seconds):
                model, examples = await call_in_daemon(_load, directory, self._threads, statistics)
        except asyncio.TimeoutError:
            limit = f"{self._load_seconds:g} s (serving.server.load_seconds)"
            return f"{directory}: not loaded within {limit}"
        except Exception as error:
            return str(as_pipeline_error(error))
        finally:
            self.loading = ""
        batcher = Batcher(model.predict, self._limits, self._meter)
        self.candidate = LoadedVersion(version, model, batcher, examples, positive_class)
        return ""

    def switch(self) -> None:
        """Makes the candidate the current version, and retires the version before it."""
        if self.candidate is None:
            return
        before, self.current, self.candidate = self.current, self.candidate, None
        self.problem = ""
        if before is not None:
            self._retire(before)

    def discard(self, problem: str, version: str) -> None:
        """Notes the problem, and closes the candidate if it is this version.

        Another candidate stays: an order about a version may arrive when the next one is loaded.
        """
        self.problem = problem
        if self.candidate is not None and self.candidate.version == version:
            self._retire(self.candidate)
            self.candidate = None

    @contextlib.contextmanager
    def lease(self, name: str, version: str | None) -> Iterator[LoadedVersion]:
        """Yields the current version and keeps it open while the context lasts.

        Raises:
          RequestError: another model or version is asked for, or no version is loaded.
        """
        loaded = self.find(name, version)
        loaded.leases += 1
        try:
            yield loaded
        finally:
            loaded.leases -= 1
            if loaded.is_retired and not loaded.leases:
                loaded.is_free.set()

    def find(self, name: str, version: str | None) -> LoadedVersion:
        """Returns the current version if name and version are right; raises as `lease`."""
        if self.current is None:
            raise RequestError(HTTPStatus.SERVICE_UNAVAILABLE, "no version is loaded yet")
        if name != self.name or version not in (None, self.current.version):
            asked = f"Specific({name}, {version})" if version else f"Latest({name})"
            raise RequestError(
                HTTPStatus.NOT_FOUND,
                f"Servable not found for request: {asked}; "
                f"this server has version {self.current.version} of {self.name}",
            )
        return self.current

    def _retire(self, loaded: LoadedVersion) -> None:
        loaded.is_retired = True
        if not loaded.leases:
            loaded.is_free.set()
        task = asyncio.get_running_loop().create_task(_close(loaded))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def _load(
    directory: str, threads: int, statistics: str
) -> tuple[SavedModel, Mapping[str, ColumnExample]]:
    model = SavedModel(directory, threads)
    signature = model.signatures[SignatureName.SERVING_DEFAULT]
    examples = read_examples(statistics, signature)
    model.signatures[signature.name] = add_usual_values(signature, examples)
    return model, examples


async def _close(loaded: LoadedVersion) -> None:
    await loaded.is_free.wait()
    await loaded.batcher.close()
    await asyncio.to_thread(loaded.model.close)
