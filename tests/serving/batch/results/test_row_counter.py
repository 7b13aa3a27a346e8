import pytest

from serving.batch.results.records import BadCellOfPart
from serving.batch.results.row_counter import RowCounter, TooManyBadRowsError
from serving.batch.results.row_limit import RowLimit

CELL = BadCellOfPart(3, "x", "no")


def test_bad_rows_are_counted_over_all_files_and_kept_for_one() -> None:
    told: list[tuple[int, int]] = []
    counter = RowCounter(RowLimit(rows=3), lambda rows, bad: told.append((rows, bad)))
    counter.add(10, [CELL])
    counter.add_ragged()
    assert (counter.rows, counter.bad, counter.cells, counter.ragged) == (12, 2, [CELL], 1)
    counter.begin_file()
    assert (counter.rows, counter.bad, counter.cells, counter.ragged) == (12, 2, [], 0)
    assert told == [(10, 1), (0, 1)]
    counter.add_finished(5, 1)
    with pytest.raises(TooManyBadRowsError):
        counter.add(1, [CELL])
