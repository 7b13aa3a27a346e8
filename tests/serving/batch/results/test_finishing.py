from pathlib import Path

import pytest
from batch_predictions import make_task, write_csv

from pipeline.core.errors import DataError
from serving.batch.results.bad_rows import BadRow
from serving.batch.results.finishing import finish_file, locate_bad_rows
from serving.batch.results.records import BadCellOfPart, FinishedFile, Records
from serving.batch.rows.input_files import find_input_files


def test_lines_count_ragged_rows_and_rows_of_several_lines(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", '1,0,1,"x\ny"', "2,0", "", "3,bad,1,Cash", '4,0,"a\nb"')
    task = make_task(pushed, tmp_path)
    (file,) = find_input_files(task)
    cells = [BadCellOfPart(1, "größe (cm)", "no number")]
    assert locate_bad_rows(task, file, cells, ragged=2) == (
        BadRow(4, "", "expected 4 cells, found 2"),
        BadRow(6, "größe (cm)", "no number"),
        BadRow(7, "", "expected 4 cells, found 3", lines=2),
    )


def test_an_open_quote_refuses_the_file(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", '1,0,"1,Cash', "2,0,1,Cash")
    task = make_task(pushed, tmp_path)
    (file,) = find_input_files(task)
    with pytest.raises(DataError, match="a quote is opened"):
        locate_bad_rows(task, file, [], ragged=1)


def test_a_finished_file_is_on_record(pushed: Path, tmp_path: Path) -> None:
    write_csv(tmp_path, "a.csv", "1,0,1,Cash")
    task = make_task(pushed, tmp_path)
    (file,) = find_input_files(task)
    assert finish_file(task, file, ragged=0) == FinishedFile(())
    assert Records(task.output).read_file(file) == FinishedFile(())
