import dataclasses
import os
from pathlib import Path

import pytest
from batch_predictions import make_task, write_many
from object_store import Bucket

from pipeline.core.errors import ConfigError
from serving.batch.rows.input_files import find_input_files


def test_the_key_depends_on_content_model_and_settings_alone(pushed: Path, tmp_path: Path) -> None:
    path = write_many(tmp_path, 5)
    task = make_task(pushed, tmp_path)
    (file,) = find_input_files(task)
    os.utime(path)
    assert find_input_files(task)[0].key == file.key
    for changed in ({"model": str(pushed / "2")}, {"key": None}, {"prefix": "p"}):
        assert find_input_files(dataclasses.replace(task, **changed))[0].key != file.key
    write_many(tmp_path, 6)
    assert file.has_changed()
    assert find_input_files(task)[0].key != file.key


def test_names_are_paths_below_the_common_folder(pushed: Path, tmp_path: Path) -> None:
    (tmp_path / "in" / "b").mkdir(parents=True)
    write_many(tmp_path, 1, "a.csv")
    write_many(tmp_path, 1, "b/a.csv")
    files = find_input_files(make_task(pushed, tmp_path, inputs=(str(tmp_path / "in/**/*.csv"),)))
    assert [(file.name, file.source) for file in files] == [("a.csv", "csv"), ("b/a.csv", "csv")]


def test_a_pattern_without_files_is_named_as_the_user_typed_it(
    pushed: Path, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="--input: no file matches"):
        find_input_files(make_task(pushed, tmp_path))


def test_files_of_different_stores_and_machines_never_share_a_name(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    path = write_many(tmp_path, 1, "a.csv")
    stored = [bucket.put(key, path.read_bytes()) for key in ("new/a.csv", "new/b/a.csv")]

    def name_files(*inputs: str) -> list[str]:
        task = make_task(pushed, tmp_path, inputs=inputs)
        return [file.name for file in find_input_files(task)]

    assert name_files(*stored) == ["a.csv", "b/a.csv"]
    both = name_files(stored[0], str(path))
    assert both == [f"file{path}", f"s3/{bucket.name}/new/a.csv"]


def test_the_key_of_an_object_depends_on_its_content(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    address = bucket.put("new/a.csv", b"id\n1\n")
    task = make_task(pushed, tmp_path, inputs=(address,))
    (file,) = find_input_files(task)
    bucket.put("new/a.csv", b"id\n1\n")
    assert find_input_files(task)[0].key == file.key
    bucket.put("new/a.csv", b"id\n2\n")
    assert find_input_files(task)[0].key != file.key


def test_an_output_that_holds_the_input_is_refused(
    pushed: Path, tmp_path: Path, bucket: Bucket
) -> None:
    address = bucket.put("new/a.csv", b"id\n1\n")
    task = make_task(pushed, tmp_path, inputs=(address,), output=bucket.url("new"))
    with pytest.raises(ConfigError, match=f"holds the input file {address}"):
        find_input_files(task)
