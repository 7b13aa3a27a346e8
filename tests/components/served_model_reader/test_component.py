"""What a component reads of the served model is what its run was told, or the component fails."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tfx.types import Artifact, standard_artifacts

from components.served_model.artifacts import ServedModelRecord
from components.served_model.keys import add_fingerprint
from components.served_model.pointer import find_record, make_resolution, write_pointer
from components.served_model.served_record import ServedRecord
from components.served_model_reader import component
from components.warm_start import component as warm_start
from pipeline.config import LabelConfig
from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.errors import ConfigError, DataError

LABEL = LabelConfig(column="y", task="regression").to_json()


def push(serving: Path, version: str) -> None:
    (serving / version / "variables").mkdir(parents=True)
    for name in ("schema", "statistics"):
        (serving / ".reference" / version / name).mkdir(parents=True)
    record = ServedRecord(version, f"m{version}", "e", "s", "c", LABEL, "d", f"r{version}")
    write_pointer(str(serving), record)


def run(tmp_path: Path, reader: Any, resolved: str, fingerprint: str = "rows") -> Path:
    """Runs the component; returns the directory that it has filled."""
    key = "record" if reader is component else "model"
    kind: type[Artifact] = ServedModelRecord if key == "record" else standard_artifacts.Model
    examples, output = standard_artifacts.Examples(), kind()
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, fingerprint)
    output.uri = str(tmp_path / "output")
    Path(output.uri).mkdir(exist_ok=True)
    properties = {
        "role": "baseline",
        "serving_directory": str(tmp_path / "serving"),
        "key": "run",
        "label": LABEL,
        "resolved": resolved,
    }
    reader.Executor().Do({"examples": [examples]}, {key: [output]}, properties)
    return Path(output.uri)


def told(tmp_path: Path) -> str:
    """What `prepare`, or a local run, finds out before all work."""
    key = add_fingerprint("run", "rows")
    return make_resolution(key, find_record(str(tmp_path / "serving"), "baseline", key))


@pytest.mark.parametrize("reader", [component, warm_start])
def test_a_push_between_both_is_told(tmp_path: Path, reader: Any) -> None:
    nothing = told(tmp_path)
    run(tmp_path, reader, nothing)
    push(tmp_path / "serving", "1")
    with pytest.raises(ConfigError, match=r"another run pushed 1 meanwhile"):
        run(tmp_path, reader, nothing)
    first = told(tmp_path)
    run(tmp_path, reader, first)
    push(tmp_path / "serving", "2")
    with pytest.raises(ConfigError, match=r"another run pushed 2 meanwhile"):
        run(tmp_path, reader, first)


def test_other_data_than_the_run_was_told_of_are_refused(tmp_path: Path) -> None:
    resolved = told(tmp_path)
    with pytest.raises(DataError, match=r"^data\.path: the files were changed after the run"):
        run(tmp_path, component, resolved, fingerprint="other rows")


def test_the_record_is_what_is_served(tmp_path: Path) -> None:
    push(tmp_path / "serving", "1")
    record = json.loads(
        (run(tmp_path, component, told(tmp_path)) / ArtifactFile.SERVED_RECORD).read_text()
    )
    assert (record["version"], record["directory"]) == ("1", str(tmp_path / "serving"))
