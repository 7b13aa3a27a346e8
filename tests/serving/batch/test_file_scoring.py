from pathlib import Path

import pytest
from batch_predictions import make_task, read_predictions, write_many

from pipeline.core.errors import DataError
from serving.batch.file_scoring import FileScorer
from serving.batch.results.records import Records
from serving.batch.results.row_counter import RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import find_input_files


def test_ranges_of_a_file_make_the_same_parts_as_the_whole_file(
    pushed: Path, tmp_path: Path
) -> None:
    write_many(tmp_path, 70)
    task = make_task(pushed, tmp_path, part_rows=30)
    (file,) = find_input_files(task)
    scorer, counter = FileScorer(task, threads=2), RowCounter(RowLimit(rows=0))
    for first in (60, 0, 30):
        assert scorer.score_range(file, first, first + 30, counter) == 0
    assert counter.rows == 70
    assert [part.rows for part in Records(task.output).read_parts(file)] == [30, 30, 10]
    assert read_predictions(task)["id"].to_pylist() == [f"k{i}" for i in range(70)]


def test_a_file_that_changes_meanwhile_is_refused(pushed: Path, tmp_path: Path) -> None:
    path = write_many(tmp_path, 5)
    task = make_task(pushed, tmp_path)
    (file,) = find_input_files(task)
    path.write_text(path.read_text(encoding="utf-8") + "new,0,1,Card\n", encoding="utf-8")
    with pytest.raises(DataError, match="was changed while it was read"):
        FileScorer(task).score_range(file, 0, None, RowCounter(RowLimit(rows=0)))
