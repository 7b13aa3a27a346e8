"""Refusals: the errors of Beam's workers, which reach the process of the prediction as files.

An engine repeats the work of a worker that raises an error, some engines for ever. So a worker
that cannot score its rows leaves the error in the output, and ends as if it had scored
them.
"""

from __future__ import annotations

import os

from pipeline.core.errors import REFUSAL_FILE, PipelineError
from serving.batch.results.output_files import open_output
from serving.batch.results.records import RECORDS_DIRECTORY

_FOLDER = f"{RECORDS_DIRECTORY}/.refusals"
"""A folder of its own: workers list it again and again."""
_STEM, _SUFFIX = os.path.splitext(REFUSAL_FILE)


class Refusals:
    """The refusals in an output, each with the number of the work that failed."""

    def __init__(self, output: str) -> None:
        self._files = open_output(output)

    def write(self, number: int, error: PipelineError) -> None:
        """Leaves the error of the work `number`."""
        name = f"{_FOLDER}/{_STEM}-{number:09}{_SUFFIX}"
        self._files.write(name, error.to_json().encode(), durable=False)

    def find_first(self) -> int | None:
        """Returns the lowest number of work that failed; None if nothing failed."""
        names = self._list()
        return int(names[0].removesuffix(_SUFFIX).rpartition("-")[2]) if names else None

    def take_first(self) -> PipelineError | None:
        """Returns the error with the lowest number, and removes all; None if nothing failed."""
        names = self._list()
        content = self._files.read(names[0]) if names else None
        for name in names:
            self._files.remove(name)
        return PipelineError.from_json(content.decode()) if content else None

    def _list(self) -> list[str]:
        prefix = f"{_FOLDER}/{_STEM}-"
        names = self._files.list(_FOLDER)
        return sorted(n for n in names if n.startswith(prefix) and n.endswith(_SUFFIX))
