"""ServedModel: the record that it writes, and when it refuses to write one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tfx.types import standard_artifacts

from components.served_model.artifacts import ServedModelRecord
from components.served_model.keys import add_fingerprint
from components.served_model.pointer import find_record, make_resolution, write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model_reader.component import Executor
from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.errors import ConfigError, DataError


def push(serving: Path, version: str, run_key: str = "") -> ServedRecord:
    """Serves a version; its record has another served version as its baseline, if there is one."""
    (serving / version).mkdir(parents=True)
    before = find_record(str(serving), "baseline", "any")
    key = run_key or f"r{version}"
    record = ServedRecord(version, f"m{version}", "e", "s", "c", "{}", "d", key, baseline=before)
    write_pointer(str(serving), record)
    return record


def resolve(tmp_path: Path) -> str:
    """Returns what a runner passes to the component when a run begins."""
    key = add_fingerprint("run", "rows")
    return make_resolution(key, find_record(str(tmp_path / "serving"), "baseline", key))


def run(tmp_path: Path, resolved: str, fingerprint: str = "rows") -> ServedModelRecord:
    examples, output = standard_artifacts.Examples(), ServedModelRecord()
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, fingerprint)
    output.uri = str(tmp_path / "output")
    Path(output.uri).mkdir(exist_ok=True)
    properties = {
        "role": "baseline",
        "serving_directory": str(tmp_path / "serving"),
        "key": "run",
        "resolved": resolved,
    }
    Executor().Do({"examples": [examples]}, {"record": [output]}, properties)
    return output


def read(output: ServedModelRecord) -> dict[str, object]:
    return json.loads(Path(output.uri, ArtifactFile.SERVED_RECORD).read_text())


def test_the_record_names_the_served_version_and_its_directory(tmp_path: Path) -> None:
    assert read(run(tmp_path, resolve(tmp_path))) == {}
    push(tmp_path / "serving", "1")
    record = read(run(tmp_path, resolve(tmp_path)))
    assert (record["version"], record["directory"]) == ("1", str(tmp_path / "serving"))


def test_the_component_fails_if_another_run_pushed_since_this_run_began(tmp_path: Path) -> None:
    nothing = resolve(tmp_path)
    run(tmp_path, nothing)
    push(tmp_path / "serving", "1")
    with pytest.raises(ConfigError, match=r"another run pushed 1 meanwhile"):
        run(tmp_path, nothing)
    first = resolve(tmp_path)
    run(tmp_path, first)
    push(tmp_path / "serving", "2")
    with pytest.raises(ConfigError, match=r"another run pushed 2 meanwhile"):
        run(tmp_path, first)


def test_the_component_fails_on_other_data_than_the_run_began_with(tmp_path: Path) -> None:
    resolved = resolve(tmp_path)
    with pytest.raises(DataError, match=r"^data\.path: the files were changed after the run"):
        run(tmp_path, resolved, fingerprint="other rows")


def test_a_note_says_that_the_baseline_was_removed(tmp_path: Path) -> None:
    push(tmp_path / "serving", "1")
    push(tmp_path / "serving", "2", run_key=add_fingerprint("run", "rows"))
    output = run(tmp_path, resolve(tmp_path))
    assert (read(output)["version"], output.get_string_custom_property(Property.NOTE)) == ("1", "")
    (tmp_path / "serving/1").rmdir()
    output = run(tmp_path, resolve(tmp_path))
    assert read(output) == {}
    assert output.get_string_custom_property(Property.NOTE) == "the served model's baseline is gone"
