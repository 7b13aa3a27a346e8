from pathlib import Path

import pytest
from batch_predictions import make_task, read_bad_rows, write_many

from pipeline.core.errors import DataError
from serving.batch.results.bad_rows import BadRow
from serving.batch.results.completing import complete_output, refuse_bad_rows
from serving.batch.results.records import FinishedFile
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import find_input_files
from serving.batch.task import Task


@pytest.fixture
def task(pushed: Path, tmp_path: Path) -> Task:
    write_many(tmp_path, 3, "a.csv")
    write_many(tmp_path, 4, "b.csv")
    (tmp_path / "out").mkdir()
    return make_task(pushed, tmp_path)


def test_success_is_written_only_within_the_limit(task: Task) -> None:
    files = find_input_files(task)
    bad = FinishedFile((), (BadRow(2, "x", "no"),))
    done = {"a.csv": FinishedFile(()), "b.csv": bad}
    with pytest.raises(DataError, match=r"the first: .*b\.csv:2: column 'x': no"):
        complete_output(task, files, done, RowLimit(rows=0))
    assert {path.name for path in Path(task.output).iterdir()} == {"bad_rows.csv"}
    complete_output(task, files, done, RowLimit(rows=1))
    names = {path.name for path in Path(task.output).iterdir()}
    assert names == {"bad_rows.csv", "manifest.json", "_SUCCESS"}
    with pytest.raises(DataError, match="1 bad row of 1"):
        complete_output(task, files, done, RowLimit(rows=0))
    assert {path.name for path in Path(task.output).iterdir()} == {"bad_rows.csv"}


def test_the_side_file_has_the_bad_rows_of_all_files(task: Task) -> None:
    bad = FinishedFile((), (BadRow(2, "", "ragged"),))
    refuse_bad_rows(task, find_input_files(task), {"b.csv": bad, "a.csv": bad}, 10)
    assert [line.rpartition("/")[2] for line in read_bad_rows(task)] == [
        "a.csv,2,,ragged",
        "b.csv,2,,ragged",
    ]
