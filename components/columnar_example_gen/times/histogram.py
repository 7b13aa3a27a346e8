"""Chooses the boundaries of a split by time, from times or from cells of times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from components.columnar_example_gen.times.tally import Cells, Keys, Windows
from pipeline.config import SplitConfig


@dataclass(frozen=True)
class Histogram:
    """The rows of a table by time, in cells of different widths."""

    starts: Keys
    rows: Keys
    shifts: Keys
    """The width of each cell is 2**shift keys; a cell of shift 0 is one time."""

    @classmethod
    def of(cls, cells: Cells) -> Histogram:
        """Returns the histogram of cells of one width."""
        return cls(cells.starts, cells.rows, np.full(len(cells.starts), cells.shift, np.int64))

    def choose(self, config: SplitConfig) -> tuple[int, int]:
        """Returns the positions of the last time of train and of the last time of eval.

        The shares of the splits are as near to the configured ones as equal times allow. The
        positions are right if `find_unclear` returns no windows. There must be three cells.
        """
        rows = np.cumsum(self.rows)
        # However many times are equal, eval and test get at least one time each.
        train = _find_nearest(rows[:-2], config.train * rows[-1])
        share = config.train + config.eval
        return train, train + 1 + _find_nearest(rows[train + 1 : -1], share * rows[-1])

    def find_unclear(self, config: SplitConfig) -> Windows | None:
        """Returns the cells of several times that may hold a boundary, or None.

        The boundary next to a number of rows is in the cell where the running sum passes the
        number, or is the last time of the cell before. Where eval has to begin after train, its
        boundary may be the first time of the cell after. The last three cells have the three last
        times, which bound both choices.
        """
        sums = np.cumsum(self.rows)
        needed = {len(sums) - 3, len(sums) - 2, len(sums) - 1}
        for share in (config.train, config.train + config.eval):
            at = int(np.searchsorted(sums, share * sums[-1], side="right"))
            needed.update((at - 1, at, at + 1))
        wide = [at for at in sorted(needed) if 0 <= at < len(sums) and self.shifts[at] > 0]
        if not wide:
            return None
        widths = np.left_shift(1, self.shifts[wide])
        return Windows(self.starts[wide], self.starts[wide] + (widths - 1))

    def refine(self, windows: Windows, cells: Cells) -> Histogram:
        """Returns the histogram with `cells` in place of the cells that the windows cover."""
        stays = ~np.isin(self.starts, windows.lowest)
        finer = Histogram.of(cells)
        starts = np.concatenate((self.starts[stays], finer.starts))
        order = np.argsort(starts)
        return Histogram(
            starts[order],
            np.concatenate((self.rows[stays], finer.rows))[order],
            np.concatenate((self.shifts[stays], finer.shifts))[order],
        )


def _find_nearest(numbers: Keys, target: float) -> int:
    return int(np.argmin(np.abs(numbers - target)))
