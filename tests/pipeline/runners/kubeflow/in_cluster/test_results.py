"""What a component tells about itself for the page."""

from __future__ import annotations

from pathlib import Path

import pytest
from tfx.types import standard_artifacts

from components.model_exports.artifacts import ModelExports
from components.model_exports.results import write_results
from pipeline.core.events import ExportResult
from pipeline.runners.kubeflow.in_cluster.results import describe_result


def test_outputs_have_their_addresses_properties_and_small_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    directory = tmp_path / "s3/b/examples"
    directory.mkdir(parents=True)
    (directory / "findings.json").write_text("{}")
    (directory / "data.parquet").write_text("large")
    examples = standard_artifacts.Examples()
    examples.uri = str(directory)
    examples.set_string_custom_property("rows", '{"train": 3}')
    examples.set_int_custom_property("rows_without_label", 2)
    result = describe_result("ExampleGen", {}, {"examples": [examples]})
    [output] = result.outputs.values()
    assert (output.type, output.uri) == ("Examples", "s3://b/examples")
    assert output.properties == {"rows": '{"train": 3}', "rows_without_label": 2}
    assert result.files == {"examples": {"findings.json": directory / "findings.json"}}


def test_the_pusher_tells_where_the_model_is_served() -> None:
    pushed = standard_artifacts.PushedModel()
    pushed.set_string_custom_property("pushed_destination", "/mnt/serving/1")
    assert describe_result("Pusher", {}, {"pushed_model": [pushed]}).outcome == {
        "pushed": "/mnt/serving/1",
        "waiting": None,
    }


def test_the_pusher_tells_where_the_model_waits(tmp_path: Path) -> None:
    waiting = tmp_path / ".waiting/17"
    waiting.mkdir(parents=True)
    (waiting / "candidate.json").touch()
    pushed = standard_artifacts.PushedModel()
    pushed.set_string_custom_property("pushed_destination", str(tmp_path / "17"))
    outcome = describe_result("Pusher", {}, {"pushed_model": [pushed]}).outcome
    assert outcome == {"pushed": None, "waiting": str(waiting)}


def test_the_exporter_tells_how_each_export_was_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    directory = tmp_path / "s3/b/exports"
    directory.mkdir(parents=True)
    onnx = ExportResult("onnx", "export", False, ("auc fell",))
    write_results(str(directory), [onnx])
    exports = ModelExports()
    exports.uri = str(directory)
    [outcome] = describe_result("ModelExporter", {}, {"exports": [exports]}).outcome["exports"]
    assert ExportResult.from_json(outcome) == onnx
