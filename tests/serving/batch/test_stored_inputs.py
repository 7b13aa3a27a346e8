"""Files of an object store are scored as files of this machine are."""

import dataclasses
import json
from pathlib import Path

import pytest
from batch_predictions import (
    HEADER,
    make_task,
    read_bad_rows,
    read_predictions,
    write_many,
    write_mixed_inputs,
)
from object_store import Bucket, Proxy

from pipeline.core.errors import ConfigError, DataError
from serving.batch.predict import predict
from serving.batch.results.row_counter import RowCounter
from serving.batch.results.row_limit import RowLimit
from serving.batch.rows.input_files import find_input_files
from serving.batch.scoring import score_files
from serving.batch.task import Task


def store(bucket: Bucket, directory: Path) -> None:
    """Copies the inputs to the store."""
    for path in (directory / "in").rglob("*.*"):
        bucket.put(str(path.relative_to(directory)), path.read_bytes())


def make_stored_task(pushed: Path, directory: Path, bucket: Bucket) -> Task:
    """Writes mixed inputs, and returns the task of their copies in the store."""
    write_mixed_inputs(directory)
    store(bucket, directory)
    task = make_task(pushed, directory, part_rows=30, max_bad_rows="2", format="csv")
    return dataclasses.replace(
        task, inputs=(bucket.url("in/*"),), output=str(directory / "of_store")
    )


def read_files(output: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(output).glob("*.*-0*")}


@pytest.mark.parametrize("beam", [None, ("--direct_running_mode=in_memory",)])
def test_objects_get_the_predictions_of_equal_files(
    beam: tuple[str, ...] | None, pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    stored = make_stored_task(pushed, tmp_path, bucket)
    local = dataclasses.replace(
        stored, inputs=(str(tmp_path / "in/*"),), output=str(tmp_path / "local")
    )
    expected, outcome = predict(local), predict(dataclasses.replace(stored, beam=beam))
    assert (outcome.rows, outcome.bad_rows) == (expected.rows, expected.bad_rows) == (177, 2)
    assert len(read_files(local.output)) == 8
    assert read_files(stored.output) == read_files(local.output)
    told = [line.replace(str(tmp_path), bucket.url("")[:-1]) for line in read_bad_rows(local)]
    assert read_bad_rows(stored) == told
    manifest = json.loads((Path(stored.output) / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["files"][0]["input"] == bucket.url("in/a.csv")


def test_objects_that_are_scored_are_not_read_again(
    pushed: Path, tmp_path: Path, bucket: Bucket, proxy: Proxy
) -> None:
    task = make_stored_task(pushed, tmp_path, bucket)
    predict(task)
    proxy.requests.clear()
    assert predict(task).reused_files == 3
    read = [path for method, path, _ in proxy.requests if method == "GET" and "?" not in path]
    # Of each file, the first bytes tell what it is.
    assert len(read) == 3
    write_many(tmp_path, 7, "a.csv")
    store(bucket, tmp_path)
    assert predict(task).reused_files == 2


def test_predictions_are_the_same_where_the_store_fails_now_and_then(
    pushed: Path, tmp_path: Path, bucket: Bucket, proxy: Proxy
) -> None:
    task = make_stored_task(pushed, tmp_path, bucket)
    predict(task)
    proxy.faults[:] = ["503", "", "dropped", "", "truncated", "", "503", "truncated"]
    disturbed = dataclasses.replace(task, output=str(tmp_path / "disturbed"))
    predict(disturbed)
    assert proxy.faults == []
    assert read_files(disturbed.output) == read_files(task.output)


def test_an_object_that_is_replaced_after_it_was_found_ends_the_prediction(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    content = (HEADER + "1,0,1,Card\n").encode()
    task = make_task(pushed, tmp_path, inputs=(bucket.put("in/a.csv", content),))
    files = find_input_files(task)
    bucket.put("in/a.csv", content.replace(b"Card", b"Cash"))
    with pytest.raises(DataError, match=r"in/a\.csv: the file was changed while it was read"):
        score_files(task, files, {}, RowCounter(RowLimit(rows=0)))
    assert predict(task).rows == 1
    assert read_predictions(task)["probability"].to_pylist() == pytest.approx([0.11])


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("s3://{bucket}/in/none.csv", r"--input: no object matches 's3://.*/in/none\.csv'"),
        ("s3://{bucket}/in/*.txt", r"--input: no object matches"),
        ("s3://nobody-has-it/in/*.csv", r"there is no bucket 'nobody-has-it'"),
        ("s3://nobody-has-it/in/a.csv", r"there is no bucket 'nobody-has-it'"),
        ("http://host/a.csv", "http://host/a.csv is an address, but must be a path"),
    ],
)
def test_an_input_that_is_not_there_is_named(
    address: str, words: str, pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    bucket.put("in/a.csv", HEADER.encode())
    task = make_task(pushed, tmp_path, inputs=(address.format(bucket=bucket.name),))
    with pytest.raises(ConfigError, match=words):
        predict(task)
