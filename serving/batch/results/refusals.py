"""Refusals: the errors of Beam's workers, which reach the process of the prediction as files.

An engine repeats the work of a worker that raises an error, some engines for ever. So a worker
that cannot score its rows leaves the error in the output directory, and ends as if it had scored
them.
"""

from __future__ import annotations

import os
from pathlib import Path

from pipeline.core.errors import REFUSAL_FILE, PipelineError
from pipeline.core.files import write_text_atomically
from serving.batch.results.records import RECORDS_DIRECTORY

_STEM, _SUFFIX = os.path.splitext(REFUSAL_FILE)


class Refusals:
    """The refusals in an output directory, each with the number of the work that failed."""

    def __init__(self, output: str) -> None:
        self._directory = Path(output, RECORDS_DIRECTORY)

    def write(self, number: int, error: PipelineError) -> None:
        """Leaves the error of the work `number`."""
        path = self._directory / f"{_STEM}-{number:09}{_SUFFIX}"
        write_text_atomically(path, error.to_json(), durable=False)

    def find_first(self) -> int | None:
        """Returns the lowest number of work that failed; None if nothing failed."""
        paths = self._list()
        return int(paths[0].stem.rpartition("-")[2]) if paths else None

    def take_first(self) -> PipelineError | None:
        """Returns the error with the lowest number, and removes all; None if nothing failed."""
        paths = self._list()
        first = PipelineError.from_json(paths[0].read_text(encoding="utf-8")) if paths else None
        for path in paths:
            path.unlink(missing_ok=True)
        return first

    def _list(self) -> list[Path]:
        return sorted(self._directory.glob(f"{_STEM}-*{_SUFFIX}"))
