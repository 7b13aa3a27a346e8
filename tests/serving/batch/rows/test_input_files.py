import dataclasses
import os
from pathlib import Path

import pytest
from batch_predictions import make_task, write_many

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
