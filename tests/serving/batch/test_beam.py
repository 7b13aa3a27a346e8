import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from batch_predictions import (
    make_task,
    read_bad_rows,
    read_predictions,
    write_csv,
    write_many,
    write_mixed_inputs,
    write_row_groups,
)

from pipeline.core.errors import DataError
from serving.batch.beam import Range, ScoreRange
from serving.batch.predict import predict
from serving.batch.results.output_directory import own_output
from serving.batch.results.records import Records
from serving.batch.results.refusals import Refusals
from serving.batch.rows.input_files import find_input_files
from serving.batch.task import Task

BEAM = ("--direct_running_mode=in_memory", "--sdk_container_image=none")


def test_beam_writes_what_one_machine_writes(pushed: Path, tmp_path: Path) -> None:
    write_mixed_inputs(tmp_path)
    task = make_task(pushed, tmp_path, part_rows=30, columns=("payment",), format="csv")
    task = dataclasses.replace(task, max_bad_rows="2")
    here = predict(task)
    on_beam = dataclasses.replace(task, output=str(tmp_path / "beam"), beam=BEAM)
    outcome = predict(on_beam)
    assert (outcome.rows, outcome.bad_rows) == (here.rows, here.bad_rows) == (177, 2)
    assert read_bad_rows(on_beam) == read_bad_rows(task)
    written = {path.name: path.read_bytes() for path in Path(task.output).glob("*.csv")}
    assert len(written) == 9
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "beam").glob("*.csv")}
    assert predict(on_beam).reused_files == 3


def test_a_workers_refusal_keeps_its_words(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path, "a.csv", "1,0,1,Cash")
    path.write_bytes(path.read_bytes() + b"2,0,1,\xff\n")
    task = make_task(pushed, tmp_path, beam=BEAM)
    with pytest.raises(DataError, match=r"a\.csv:3: not valid utf-8 text"):
        predict(task)
    path.write_text(path.read_bytes()[:-8].decode(), encoding="utf-8")
    predict(task)
    assert read_predictions(task)["id"].to_pylist() == ["1"]


def test_of_several_refusals_the_one_of_the_first_file_is_told(
    pushed: Path, tmp_path: Path
) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        path = write_csv(tmp_path, name, "1,0,1,Cash")
        if name != "a.csv":
            path.write_bytes(path.read_bytes() + b"2,0,1,\xff\n")
    task = make_task(pushed, tmp_path, beam=BEAM)
    with pytest.raises(DataError, match=r"b\.csv:3: not valid utf-8 text"):
        predict(task)
    assert not list(Path(task.output).rglob("refusal*"))


def test_a_refusal_is_no_exception_of_the_worker(pushed: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path, "a.csv", "1,0,1,Cash")
    path.write_bytes(path.read_bytes() + b"2,0,1,\xff\n")
    task = make_task(pushed, tmp_path)
    [file] = find_input_files(task)
    with own_output(task.output):
        worker = ScoreRange(task, threads=1)
        worker.setup()
        # An engine would repeat a range whose worker raised an error.
        worker.process(Range(3, file, 0, None))
        assert Refusals(task.output).find_first() == 3
        # No later range is worth its time.
        worker.process(Range(4, file, 0, None))
        assert Refusals(task.output).find_first() == 3
        error = Refusals(task.output).take_first()
    assert isinstance(error, DataError)
    assert "a.csv:3" in error.message
    assert Refusals(task.output).take_first() is None


_KILLED_WORKER = """
import os, signal, sys
from serving.batch.beam import Range, ScoreRange
from serving.batch.results import part_writer
from serving.batch.rows.input_files import find_input_files
from serving.batch.task import Task

task = Task.from_json(sys.argv[1])
replace = part_writer.os.replace

def die(staged, path):
    # The second part is written, and has no name yet.
    if str(path).endswith("-00001.csv"):
        os.kill(os.getpid(), signal.SIGKILL)
    replace(staged, path)

part_writer.os.replace = die
worker = ScoreRange(task, threads=1)
worker.setup()
worker.process(Range(0, find_input_files(task)[0], 0, None))
"""


@pytest.mark.slow
def test_a_range_is_repeated_after_its_worker_was_killed(pushed: Path, tmp_path: Path) -> None:
    write_many(tmp_path, 100, "a.csv")
    task = make_task(pushed, tmp_path, part_rows=30, format="csv", output=str(tmp_path / "here"))
    predict(task)
    killed = dataclasses.replace(task, output=str(tmp_path / "killed"))
    with own_output(killed.output):
        process = subprocess.run([sys.executable, "-c", _KILLED_WORKER, killed.to_json()])
        assert process.returncode == -signal.SIGKILL
        assert _names(killed) == {"a.csv-00000.csv"}
        assert [path.name for path in Path(killed.output).glob(".a.csv-00001*")]
        first = os.stat(Path(killed.output, "a.csv-00000.csv")).st_mtime_ns
        worker = ScoreRange(killed, threads=1)
        worker.setup()
        [file] = find_input_files(killed)
        for _ in range(2):
            worker.process(Range(0, file, 0, None))
        Records(killed.output).sweep_staged()
    assert os.stat(Path(killed.output, "a.csv-00000.csv")).st_mtime_ns == first
    assert _read(killed) == _read(task)
    assert len(_read(task)) == 4
    assert not list(Path(killed.output).glob(".a.csv*"))


@pytest.mark.long
@pytest.mark.slow
def test_worker_processes_write_what_one_process_writes(pushed: Path, tmp_path: Path) -> None:
    write_row_groups(tmp_path)
    flags = ("--direct_running_mode=multi_processing", "--direct_num_workers=2", BEAM[1])
    one, two = (
        make_task(pushed, tmp_path, part_rows=30, output=str(tmp_path / name), beam=beam)
        for name, beam in (("one", None), ("two", flags))
    )
    predict(one)
    assert predict(two).rows == 75
    assert _read(one) == _read(two)
    assert len(_read(one)) == 3


def _names(task: Task) -> set[str]:
    return {path.name for path in Path(task.output).glob("[!.]*.*")}


def _read(task: Task) -> dict[str, bytes]:
    paths = Path(task.output).glob(f"*-0*.{task.format}")
    return {path.name: path.read_bytes() for path in paths}
