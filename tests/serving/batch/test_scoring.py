from pathlib import Path

import pytest
from batch_predictions import make_task, write_csv, write_many

from pipeline.core.errors import DataError
from serving.batch.results.row_counter import RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import find_input_files
from serving.batch.scoring import score_files


def test_a_missing_column_of_the_last_file_stops_before_the_first_row(
    pushed: Path, tmp_path: Path
) -> None:
    write_many(tmp_path, 5, "a.csv")
    write_csv(tmp_path, "b.csv").write_text("id\n1\n", encoding="utf-8")
    task = make_task(pushed, tmp_path)
    counter = RowCounter(RowLimit(rows=0))
    with pytest.raises(DataError, match=r"b\.csv: the model takes a column"):
        score_files(task, find_input_files(task), {}, counter)
    assert counter.rows == 0


def test_files_that_are_done_are_left_alone(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 5, "a.csv")
    write_many(tmp_path, 7, "b.csv")
    task = make_task(pushed, tmp_path)
    files = find_input_files(task)
    done, _ = score_files(task, files, {}, RowCounter(RowLimit(rows=0)))
    counter = RowCounter(RowLimit(rows=0))
    scored, seconds = score_files(task, files, {"a.csv": done["a.csv"]}, counter)
    assert (list(scored), counter.rows) == (["b.csv"], 7)
    assert seconds > 0
