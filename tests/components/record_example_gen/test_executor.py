"""TFRecord files are split and counted as tables are, in TFX's executor."""

import json
import sys
from pathlib import Path

import pytest
from record_files import read_ids, write_records
from tfx.types import standard_artifacts

from components.columnar_example_gen.component import build_output_config
from components.record_example_gen.component import RecordExampleGen
from components.record_example_gen.executor import RecordExecutor
from components.record_splits.settings import RecordSettings
from pipeline.config import DataConfig, SplitConfig
from pipeline.core.errors import DataError
from pipeline.sources import _make_import_split

SPLIT = {"train": 0.6, "eval": 0.2, "test": 0.2}


def execute(
    directory: Path,
    name: str,
    max_missing: float = 0.5,
    seed: int = 0,
    classes: tuple[str, ...] = (),
) -> standard_artifacts.Examples:
    split = SplitConfig(**SPLIT, seed=seed)
    data = DataConfig(source="tfrecord", path=(str(directory / "*.tfrecord"),), split=split)
    folder, pattern = _make_import_split(data)
    settings = RecordSettings(split, "y", max_missing, classes)
    component = RecordExampleGen(folder, pattern, build_output_config(split), settings)
    examples = standard_artifacts.Examples()
    examples.uri = str(directory / name)
    RecordExecutor().Do({}, {"examples": [examples]}, dict(component.exec_properties))
    return examples


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # Beam parses the command line, and would refuse the arguments of pytest.
    monkeypatch.setattr(sys, "argv", sys.argv[:1])
    rows = [{"id": i, "y": "no" if i % 9 else None} for i in range(300)]
    write_records(tmp_path / "a.tfrecord", rows[:200])
    write_records(tmp_path / "b.tfrecord", rows[200:])
    return tmp_path


def test_the_seed_decides_the_splits_and_records_without_a_label_are_left_out(
    directory: Path,
) -> None:
    first, again, other = (
        execute(directory, name, seed=seed) for name, seed in (("a", 0), ("b", 0), ("c", 1))
    )

    def ids(examples: standard_artifacts.Examples) -> dict[str, set[int]]:
        return {name: read_ids(Path(examples.uri) / f"Split-{name}", "id") for name in SPLIT}

    assert ids(first) == ids(again) != ids(other)
    assert set().union(*ids(first).values()) == {i for i in range(300) if i % 9}
    rows = {name: len(found) for name, found in ids(first).items()}
    assert json.loads(first.get_string_custom_property("rows")) == rows
    assert first.get_string_custom_property("note") == "34 rows without a label left out"
    assert {p.name for p in Path(first.uri).iterdir()} == {f"Split-{name}" for name in SPLIT}


def test_too_many_records_without_a_label_stop_the_run(directory: Path) -> None:
    with pytest.raises(DataError, match="34 of 300 records have no label"):
        execute(directory, "a", max_missing=0.1)


def test_a_class_that_train_lacks_is_told_as_for_tables(directory: Path) -> None:
    test_ids = read_ids(Path(execute(directory, "a").uri) / "Split-test", "id")
    rows = [{"id": i, "y": "late" if i in test_ids else ("no", "yes")[i % 2]} for i in range(300)]
    write_records(directory / "a.tfrecord", rows[:200])
    write_records(directory / "b.tfrecord", rows[200:])
    examples = execute(directory, "b", classes=("no", "yes", "late"))
    assert examples.get_string_custom_property("note") == (
        "no training row is of class 'late': the model cannot learn it"
    )
