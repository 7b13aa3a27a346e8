"""WarmStart: the parts of the served model that it copies, and when it copies none."""

from __future__ import annotations

from pathlib import Path

import pytest
from tfx.types import standard_artifacts

from components.served_model.keys import add_fingerprint
from components.served_model.pointer import find_record, make_resolution, write_pointer
from components.served_model.served_record import ServedRecord
from components.warm_start.component import Executor
from pipeline.config import LabelConfig
from pipeline.core.contracts import Property
from pipeline.core.errors import ConfigError

LABEL = LabelConfig(column="y", task="regression").to_json()


def push(serving: Path, version: str, label: str = LABEL) -> None:
    for file in ("saved_model.pb", "variables/variables.index", "assets/vocabulary"):
        path = serving / version / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{file} of {version}")
    record = ServedRecord(version, f"m{version}", "e", "s", "c", label, "d", f"r{version}")
    write_pointer(str(serving), record)


def resolve(tmp_path: Path) -> str:
    """Returns what a runner passes to the component when a run begins."""
    key = add_fingerprint("run", "rows")
    return make_resolution(key, find_record(str(tmp_path / "serving"), "baseline", key))


def run(tmp_path: Path, resolved: str) -> dict[str, str]:
    """Runs the component; returns the files of the model that it wrote, by path."""
    examples, output = standard_artifacts.Examples(), standard_artifacts.Model()
    examples.set_string_custom_property(Property.INPUT_FINGERPRINT, "rows")
    output.uri = str(tmp_path / "output")
    properties = {
        "serving_directory": str(tmp_path / "serving"),
        "key": "run",
        "label": LABEL,
        "resolved": resolved,
    }
    Executor().Do({"examples": [examples]}, {"model": [output]}, properties)
    model = Path(output.uri, "Format-Serving")
    assert model.is_dir()
    files = [path for path in model.rglob("*") if path.is_file()]
    return {str(path.relative_to(model)): path.read_text() for path in files}


def test_weights_and_vocabularies_are_copied_without_the_graph(tmp_path: Path) -> None:
    assert run(tmp_path, resolve(tmp_path)) == {}
    push(tmp_path / "serving", "1")
    assert run(tmp_path, resolve(tmp_path)) == {
        "variables/variables.index": "variables/variables.index of 1",
        "assets/vocabulary": "assets/vocabulary of 1",
    }


def test_a_model_of_another_label_is_not_copied(tmp_path: Path) -> None:
    another = LabelConfig(column="z", task="regression").to_json()
    push(tmp_path / "serving", "1", label=another)
    assert run(tmp_path, resolve(tmp_path)) == {}


def test_the_component_fails_if_another_run_pushed_since_this_run_began(tmp_path: Path) -> None:
    nothing = resolve(tmp_path)
    push(tmp_path / "serving", "1")
    with pytest.raises(ConfigError, match=r"another run pushed 1 meanwhile"):
        run(tmp_path, nothing)
    first = resolve(tmp_path)
    run(tmp_path, first)
    push(tmp_path / "serving", "2")
    with pytest.raises(ConfigError, match=r"another run pushed 2 meanwhile"):
        run(tmp_path, first)
