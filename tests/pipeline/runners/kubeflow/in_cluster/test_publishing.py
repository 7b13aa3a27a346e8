"""Reports and metrics that a task publishes."""

import math
from pathlib import Path
from types import SimpleNamespace

import pytest
from tfx.types import standard_artifacts

from components.findings.findings import Findings
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import WithdrawnError
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


def test_undefined_metrics_are_dropped() -> None:
    metrics = {"auc": 0.5, "recall": math.nan, "loss": math.inf}
    assert drop_undefined(metrics) == {"auc": 0.5}
