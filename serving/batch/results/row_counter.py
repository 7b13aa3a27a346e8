"""RowCounter: counts good and bad rows over all files, and stops at the limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from serving.batch.results.records import BadCellOfPart
from serving.batch.results.row_limit import RowLimit

Report = Callable[[int, int], None]
"""Gets the rows with and without a prediction since the last call."""


class TooManyBadRowsError(Exception):
    """The limit is exceeded before the last row is read."""


class RowCounter:
    """The counts, and the bad cells of the file at work."""

    def __init__(self, limit: RowLimit, report: Report = lambda rows, bad: None) -> None:
        self._limit = limit
        self._report = report
        self.rows = 0
        """Rows read so far, the bad ones included."""
        self.bad = 0
        self.cells: list[BadCellOfPart] = []
        """The bad cells of the file at work, one for each bad row."""
        self.ragged = 0
        """The ragged rows of the file at work."""

    def begin_file(self) -> None:
        """Forgets the bad rows of the file before."""
        self.cells, self.ragged = [], 0

    def add_finished(self, rows: int, bad: int) -> None:
        """Counts the rows of a file that was finished before."""
        self._count(rows, bad)

    def add(self, rows: int, cells: Sequence[BadCellOfPart]) -> None:
        """Counts `rows` rows with a prediction, and a bad row for each of the cells.

        Raises:
          TooManyBadRowsError: more rows are bad than the limit allows.
        """
        self.cells += cells
        self._count(rows, len(cells))
        self._check()

    def add_ragged(self) -> None:
        """Counts a ragged row. It raises nothing, since Arrow's reader calls it."""
        self.ragged += 1
        self._count(0, 1)

    def _count(self, rows: int, bad: int) -> None:
        self.rows += rows + bad
        self.bad += bad
        self._report(rows, bad)

    def _check(self) -> None:
        if self._limit.is_exceeded_early(self.bad, self.rows):
            raise TooManyBadRowsError
