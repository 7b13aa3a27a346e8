from pathlib import Path

import pytest
from small_config import SMALL, load

from pipeline.core.errors import ConfigError
from serving.batch.make_task import make_task
from serving.batch.task import Task
from serving.processes.messages import Version

MODEL = Version("7", "/serving/7", "")
NOTHING = dict.fromkeys(("inputs", "output", "key", "columns", "form", "prefix", "max_bad_rows"))


def test_options_override_the_section(tmp_path: Path) -> None:
    section = "prediction: {input: in/*.csv, output: out, key: id, max_bad_rows: 3}\n"
    config = load(tmp_path, text=SMALL + section)
    task = make_task(config, MODEL, {**NOTHING, "overwrite": False})
    assert task.inputs == (str(Path("in/*.csv").absolute()),)
    assert (task.key, task.columns, task.max_bad_rows, task.format) == ("id", (), "3", "parquet")
    options = {"inputs": ("b.csv",), "output": tmp_path, "columns": ["x"], "form": "csv"}
    task = make_task(config, MODEL, {**NOTHING, **options, "overwrite": True})
    assert (task.output, task.columns, task.format) == (str(tmp_path), ("x",), "csv")
    assert task.overwrite


def test_all_columns_are_copied_without_a_key() -> None:
    options = {**NOTHING, "inputs": ("b.csv",), "output": "out", "overwrite": False}
    assert make_task(None, MODEL, options).columns == ("*",)


def test_input_and_output_must_be_named() -> None:
    with pytest.raises(ConfigError, match="--input is missing"):
        make_task(None, MODEL, {**NOTHING, "output": "out", "overwrite": False})
    with pytest.raises(ConfigError, match="--output is missing"):
        make_task(None, MODEL, {**NOTHING, "inputs": ("a",), "overwrite": False})


def test_a_wrong_limit_is_refused_before_the_process_starts() -> None:
    options = {**NOTHING, "inputs": ("a",), "output": "out", "max_bad_rows": "few"}
    with pytest.raises(ConfigError, match="--max-bad-rows: 'few'"):
        make_task(None, MODEL, {**options, "overwrite": False})


def test_addresses_are_kept_and_wrong_ones_refused() -> None:
    def make(**options: object) -> Task:
        return make_task(None, MODEL, {**NOTHING, **options, "overwrite": False})

    task = make(inputs=("s3://bucket/new/*.csv", "a.csv"), output="s3://bucket/scored/")
    assert task.inputs == ("s3://bucket/new/*.csv", str(Path("a.csv").absolute()))
    assert task.output == "s3://bucket/scored"
    with pytest.raises(ConfigError, match=r"^--input: http://host/a is no address of an object"):
        make(inputs=("http://host/a",), output="out")
    with pytest.raises(ConfigError, match=r"^--output: s3://bucket is a whole bucket"):
        make(inputs=("a.csv",), output="s3://bucket")
