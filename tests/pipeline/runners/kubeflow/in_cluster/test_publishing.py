"""Reports and metrics that a task publishes."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from tfx.types import standard_artifacts

from components.findings.findings import Findings
from components.model_exports.results import write_results
from components.serving_check.blessing import write_blessing
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ServingCheckError, WithdrawnError
from pipeline.core.events import CheckedRequest, ExportResult, Measurement, ServingCheckResult
from pipeline.runners.kubeflow.in_cluster.publishing import drop_undefined, publish_reports


def test_findings_are_published_as_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    (tmp_path / ArtifactFile.FINDINGS).write_text(Findings("itself", ()).to_json())
    report = {"uri": "s3://b/report"}
    outputs = {"findings": [SimpleNamespace(uri=str(tmp_path))]}
    published = publish_reports(
        "AnomalyReport", {}, outputs, {"report": report, "executor-logs": {}}
    )
    assert published == {"report": report}
    assert "Nothing is wrong." in (tmp_path / "s3/b/report").read_text()


def test_pusher_names_the_served_model(capsys: pytest.CaptureFixture[str]) -> None:
    pushed = standard_artifacts.PushedModel()
    pushed.set_int_custom_property("pushed", 1)
    pushed.set_string_custom_property("pushed_destination", "/served/1")
    assert publish_reports("Pusher", {}, {"pushed_model": [pushed]}, {}) == {}
    assert capsys.readouterr().out == "Served: /served/1\n"


def test_pusher_succeeds_while_the_model_waits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = tmp_path / ".waiting/17"
    waiting.mkdir(parents=True)
    (waiting / "candidate.json").touch()
    pushed = standard_artifacts.PushedModel()
    pushed.set_string_custom_property("pushed_destination", str(tmp_path / "17"))
    assert publish_reports("Pusher", {}, {"pushed_model": [pushed]}, {}) == {}
    assert capsys.readouterr().out == f"Waiting for `promote`: {waiting}\n"


def test_pusher_fails_for_a_withdrawn_model() -> None:
    pushed = standard_artifacts.PushedModel()
    pushed.set_string_custom_property("withdrawn", "ana withdrew it")
    with pytest.raises(WithdrawnError, match="not pushed: ana withdrew it") as error:
        publish_reports("Pusher", {}, {"pushed_model": [pushed]}, {})
    assert error.value.exit_code == 7
    assert "`promote`" in error.value.hint


CHECK = ServingCheckResult(
    passed=False,
    problems=("load is 9 s | <b>",),
    rows=5,
    requests=(CheckedRequest("no rows", "serving_default", 0, "answered"),),
    measurements=(Measurement("load", 9.0, "s", 2.0),),
)


def test_the_serving_check_is_published_and_the_pusher_names_its_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    infra_blessing, blessing = (
        standard_artifacts.InfraBlessing(),
        standard_artifacts.ModelBlessing(),
    )
    infra_blessing.uri = str(tmp_path)
    write_blessing(infra_blessing, CHECK)
    report = {"uri": "s3://b/report"}
    outputs = {"blessing": [infra_blessing]}
    assert publish_reports("ServingCheck", {}, outputs, {"report": report}) == {"report": report}
    assert (tmp_path / "s3/b/report").read_text().startswith("# The serving check failed")
    blessing.set_int_custom_property("blessed", 1)
    inputs = {"blessing": [blessing], "infra_blessing": [infra_blessing]}
    pushed = standard_artifacts.PushedModel()
    with pytest.raises(ServingCheckError, match="so nothing is pushed: load is 9 s"):
        publish_reports("Pusher", inputs, {"pushed_model": [pushed]}, {})


def test_undefined_metrics_are_dropped() -> None:
    metrics = {"auc": 0.5, "recall": math.nan, "loss": math.inf}
    assert drop_undefined(metrics) == {"auc": 0.5}


def test_exports_are_published_as_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    write_results(str(tmp_path), [ExportResult("onnx", "export", False, ("auc fell",))])
    report = {"uri": "s3://b/report"}
    outputs = {"exports": [SimpleNamespace(uri=str(tmp_path))]}
    published = publish_reports("ModelExporter", {}, outputs, {"report": report})
    assert published == {"report": report}
    assert "- onnx: auc fell" in (tmp_path / "s3/b/report").read_text()
