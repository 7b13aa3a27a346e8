"""Predictions in an object store are those of a directory, and never look whole before they are."""

from __future__ import annotations

import dataclasses
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from batch_predictions import make_task, write_csv, write_many
from faulty_server import FaultyServer
from object_store import Bucket, Proxy

from pipeline.core.errors import ConfigError, DataError
from pipeline.core.stores import lease
from serving.batch.predict import predict
from serving.batch.results.output_files import open_output
from serving.batch.results.records import Part, Records
from serving.batch.rows.input_files import InputFile
from serving.batch.task import Task

BEAM = ("--direct_running_mode=in_memory",)


@pytest.fixture(autouse=True)
def _short_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "_WATCH_SECONDS", 0.4)
    monkeypatch.setattr(lease, "_RENEWAL_SECONDS", 0.2)


def read_objects(bucket: Bucket, output: str = "out") -> dict[str, bytes]:
    """Returns what a reader sees: all objects that do not lie in a hidden folder."""
    found = bucket.client.list_objects_v2(Bucket=bucket.name, Prefix=f"{output}/")
    keys = [one["Key"] for one in found.get("Contents", ())]
    return {
        key[len(output) + 1 :]: bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"].read()
        for key in keys
        if "/." not in key
    }


def read_directory(output: str) -> dict[str, bytes]:
    paths = [path for path in Path(output).rglob("[!.]*") if path.is_file()]
    found = {str(path.relative_to(output)): path.read_bytes() for path in paths}
    return {name: content for name, content in found.items() if "/." not in f"/{name}"}


def to_store(task: Task, bucket: Bucket, name: str = "out") -> Task:
    return dataclasses.replace(task, output=bucket.url(name))


def write_inputs(directory: Path) -> None:
    (directory / "in/deep").mkdir(parents=True)
    write_many(directory, 100, "a.csv")
    write_csv(directory, "deep/größe b.csv", "1,0,1,Cash", "2,x,1,Cash", "3,0", "4,0,4,Cash")


def make_both_tasks(pushed: Path, directory: Path, bucket: Bucket) -> tuple[Task, Task]:
    """Returns the same task with a directory and with a store as output."""
    write_inputs(directory)
    inputs = (str(directory / "in/**/*.csv"),)
    local = make_task(pushed, directory, part_rows=30, max_bad_rows="2", inputs=inputs)
    return local, to_store(local, bucket)


@pytest.mark.parametrize("beam", [None, BEAM])
def test_a_store_gets_the_files_that_a_directory_gets(
    beam: tuple[str, ...] | None, pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    local, stored = make_both_tasks(pushed, tmp_path, bucket)
    stored = dataclasses.replace(stored, beam=beam)
    expected = predict(local)
    outcome = predict(stored)
    assert outcome.output == bucket.url("out")
    assert (outcome.rows, outcome.bad_rows) == (expected.rows, expected.bad_rows) == (102, 2)
    objects = read_objects(bucket)
    assert len(objects) == 8
    assert objects == read_directory(local.output)
    assert json.loads(objects["manifest.json"])["rows"] == 102


def test_a_repetition_scores_only_what_has_changed(
    pushed: Path, tmp_path: Path, bucket: Bucket, proxy: Proxy
) -> None:
    local, stored = make_both_tasks(pushed, tmp_path, bucket)
    predict(stored)
    proxy.requests.clear()
    assert predict(stored).reused_files == 2
    written = {path for method, path, _ in proxy.requests if method in ("PUT", "POST")}
    last = ("bad_rows.csv", "manifest.json", "_SUCCESS", ".owner")
    assert {path.rpartition("/")[2] for path in written} == set(last)
    write_many(tmp_path, 30, "a.csv")
    assert predict(stored).reused_files == 1
    predict(local)
    # No part of the longer file is left.
    assert read_objects(bucket) == read_directory(local.output)


def test_predictions_of_other_files_are_kept_unless_the_user_says_so(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    _, stored = make_both_tasks(pushed, tmp_path, bucket)
    predict(stored)
    before = read_objects(bucket)
    fewer = dataclasses.replace(stored, inputs=(str(tmp_path / "in/a.csv"),))
    with pytest.raises(ConfigError, match=r"holds predictions for 'deep/größe b\.csv'"):
        predict(fewer)
    assert read_objects(bucket) == before
    predict(dataclasses.replace(fewer, overwrite=True))
    assert not [name for name in read_objects(bucket) if name.startswith("deep/")]


@pytest.mark.parametrize("beam", [None, BEAM])
def test_too_many_bad_rows_leave_no_complete_output(
    beam: tuple[str, ...] | None, pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    _, stored = make_both_tasks(pushed, tmp_path, bucket)
    stored = dataclasses.replace(stored, beam=beam)
    strict = dataclasses.replace(stored, max_bad_rows="1")
    for _ in range(2):
        with pytest.raises(DataError, match="2 bad rows of") as caught:
            predict(strict)
        assert caught.value.hint.startswith(f"{bucket.url('out')}/bad_rows.csv has all")
        assert not {"_SUCCESS", "manifest.json"} & read_objects(bucket).keys()
    predict(stored)
    assert "_SUCCESS" in read_objects(bucket)


def test_a_workers_refusal_keeps_its_words(pushed: Path, tmp_path: Path, bucket: Bucket) -> None:
    path = write_csv(tmp_path, "a.csv", "1,0,1,Cash")
    path.write_bytes(path.read_bytes() + b"2,0,1,\xff\n")
    task = to_store(make_task(pushed, tmp_path, beam=BEAM), bucket)
    with pytest.raises(DataError, match=r"a\.csv:3: not valid utf-8 text"):
        predict(task)
    path.write_text(path.read_bytes()[:-8].decode(), encoding="utf-8")
    assert predict(task).rows == 1


def test_predictions_are_the_same_where_the_store_fails_now_and_then(
    pushed: Path, tmp_path: Path, bucket: Bucket, faulty_server: FaultyServer
) -> None:
    local, stored = make_both_tasks(pushed, tmp_path, bucket)
    predict(local)
    numbers = iter(range(10_000))

    def decide(method: str, path: str) -> str:
        # No number of a repetition follows with the same fault.
        return {3: "refuse", 8: "lose answer"}.get(next(numbers) % 11, "")

    with faulty_server.failing(decide):  # type: ignore[arg-type]
        predict(stored)
    assert next(numbers) > 30
    assert read_objects(bucket) == read_directory(local.output)


def kill_at(
    task: Task, faulty_server: FaultyServer, is_reached: Callable[[str, str], bool]
) -> None:
    """Predicts in a process of its own, which is killed while the request hangs."""
    faulty_server.is_hanging.clear()
    with faulty_server.failing(lambda *request: "hang" if is_reached(*request) else ""):
        process = subprocess.Popen(
            [sys.executable, "-m", "serving.batch.worker"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(task.to_json().encode() + b"\n")
        process.stdin.flush()
        try:
            assert faulty_server.is_hanging.wait(120)
        finally:
            process.kill()
            process.communicate()


@pytest.mark.slow
def test_a_killed_prediction_shows_nothing_half_and_goes_on_where_it_was(
    pushed: Path, tmp_path: Path, bucket: Bucket, faulty_server: FaultyServer
) -> None:
    local, stored = make_both_tasks(pushed, tmp_path, bucket)
    predict(stored)
    newer = dataclasses.replace(stored, model=str(pushed / "2"), version="2")
    kill_at(newer, faulty_server, lambda method, path: method == "PUT" and "a.csv-00002" in path)
    left = read_objects(bucket)
    # The former predictions are not taken for those of the new model, nor for a mixture.
    assert not {"_SUCCESS", "manifest.json"} & left.keys()
    parts = [name for name in left if name.endswith(".parquet")]
    assert sorted(parts) == ["a.csv-00000.parquet", "a.csv-00001.parquet"]
    for name in parts:
        assert pq.read_table(io.BytesIO(left[name])).num_rows == 30

    faulty_server.requests.clear()
    assert predict(newer).rows == 102
    puts = [path for method, path in faulty_server.requests if method == "PUT"]
    assert not [path for path in puts if "a.csv-00000.parquet" in path]
    predict(dataclasses.replace(local, model=newer.model, version="2"))
    assert read_objects(bucket) == read_directory(local.output)


@pytest.mark.slow
def test_a_kill_before_the_last_object_leaves_an_incomplete_output(
    pushed: Path, tmp_path: Path, bucket: Bucket, faulty_server: FaultyServer
) -> None:
    local, stored = make_both_tasks(pushed, tmp_path, bucket)
    kill_at(stored, faulty_server, lambda method, path: method == "PUT" and "_SUCCESS" in path)
    assert "_SUCCESS" not in read_objects(bucket)
    assert predict(stored).reused_files == 2
    predict(local)
    assert read_objects(bucket) == read_directory(local.output)


@pytest.mark.parametrize("is_stored", [False, True])
def test_a_part_that_a_kill_left_without_a_record_is_removed_when_nobody_needs_it(
    is_stored: bool, pushed: Path, tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_many(tmp_path, 100, "a.csv")
    task = make_task(pushed, tmp_path, part_rows=30)
    task = to_store(task, bucket) if is_stored else task
    write_part = Records.write_part

    def stop(records: Records, file: InputFile, number: int, part: Part) -> None:
        if number == 3:
            raise KeyboardInterrupt
        write_part(records, file, number, part)

    with monkeypatch.context() as patched:
        patched.setattr(Records, "write_part", stop)
        with pytest.raises(KeyboardInterrupt):
            predict(task)
    assert "a.csv-00003.parquet" in open_output(task.output).list("")
    write_many(tmp_path, 30, "a.csv")
    predict(task)
    parts = [name for name in open_output(task.output).list("") if name.endswith(".parquet")]
    assert parts == ["a.csv-00000.parquet"]


def test_a_second_prediction_is_refused_while_one_is_at_work(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    _, stored = make_both_tasks(pushed, tmp_path, bucket)
    refused = []

    def try_meanwhile(rows: int, bad: int) -> None:
        if not refused:
            with pytest.raises(ConfigError, match="another prediction is at work here") as caught:
                predict(stored)
            refused.append(caught.value)

    assert predict(stored, try_meanwhile).rows == 102
    assert len(refused) == 1
