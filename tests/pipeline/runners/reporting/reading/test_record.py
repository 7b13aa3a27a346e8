"""A run records its configuration and its surroundings, and a later process reads both."""

from pathlib import Path

import pytest
from runs_for_pages import penguins

from pipeline.core.contracts import RunFile
from pipeline.runners.reporting.reading.record import (
    read_configuration,
    read_record,
    write_record,
)

ARGUMENTS = ["run", "--config", "configs/penguins.yaml"]


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    config = penguins("training.seed=7")
    write_record(tmp_path, config, ARGUMENTS)
    record = read_record(tmp_path)
    assert record
    assert record.arguments == tuple(ARGUMENTS)
    assert record.directory == str(Path.cwd())
    [file] = record.data_files
    assert file.path == "data/penguins/penguins.csv"
    assert file.bytes == Path(file.path).stat().st_size
    text, read = read_configuration(tmp_path)
    assert read == config
    assert "early_stopping_patience: 10" in text
    assert "warmup_steps: 0" in text  # A default.


def test_a_secret_in_the_options_of_own_code_is_not_written(tmp_path: Path) -> None:
    write_record(tmp_path, penguins("model.options={api_key: abc123}"), ARGUMENTS)
    text, _ = read_configuration(tmp_path)
    assert "abc123" not in text
    assert "********" in text


def test_a_run_of_an_earlier_version_has_no_record(tmp_path: Path) -> None:
    assert read_record(tmp_path) is None
    assert read_configuration(tmp_path) == ("", None)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"arguments": 1}', "\xff"])
def test_a_damaged_record_counts_as_none(tmp_path: Path, content: str) -> None:
    for name in (RunFile.RECORD, RunFile.CONFIGURATION):
        (tmp_path / name).write_text(content, encoding="latin-1")
    assert read_record(tmp_path) is None
    assert read_configuration(tmp_path)[1] is None
