"""The exit task writes the page as an artifact and on the volume."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from stopped_run import make_parameters, write_stopped_run

from pipeline.core.errors import PipelineError
from pipeline.runners.kubeflow.in_cluster.report import run_report


@pytest.fixture
def executor_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", str(tmp_path))
    place = {"uri": "s3://b/page", "type": {"schemaTitle": "system.HTML"}}
    return {
        "inputs": {"parameterValues": make_parameters()},
        "outputs": {
            "artifacts": {"page": {"artifacts": [place]}},
            "outputFile": str(tmp_path / "output.json"),
        },
    }


def test_the_page_is_an_artifact_and_lies_on_the_volume(
    tmp_path: Path,
    executor_input: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    directory = write_stopped_run(tmp_path / "runs")
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", directory.run)
    run_report(executor_input)
    page = (tmp_path / "s3/b/page").read_text()
    assert "The data gate stopped the run" in page
    assert (directory.path / "report.html").read_text() == page
    content = json.loads((directory.path / "report.json").read_text())
    assert content["verdict"]["exit_code"] == 3
    reported = json.loads((tmp_path / "output.json").read_text())["artifacts"]
    assert reported["page"]["artifacts"][0]["uri"] == "s3://b/page"
    assert capsys.readouterr().out.startswith("stopped by the data gate: The data gate stopped")


def test_the_pages_of_older_runs_are_removed(
    tmp_path: Path, executor_input: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = write_stopped_run(tmp_path / "runs")
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", directory.run)
    for name in ("old", "older"):
        (tmp_path / "runs" / name).mkdir()
        (tmp_path / "runs" / name / "report.html").touch()
    run_report(executor_input)
    assert len(list((tmp_path / "runs").glob("*/report.html"))) == 3
    executor_input["inputs"]["parameterValues"] = make_parameters("retention.keep_runs=1")
    run_report(executor_input)
    assert [path for path in (tmp_path / "runs").iterdir() if path.is_dir()] == [directory.path]


def test_a_lost_volume_costs_the_details_but_not_the_page(
    tmp_path: Path, executor_input: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIPELINE_RECORDS", str(tmp_path / "runs"))
    monkeypatch.setenv("PIPELINE_RUN_ID", "1f2e")
    (tmp_path / "runs").touch()
    run_report(executor_input)
    assert "Prepare failed" in (tmp_path / "s3/b/page").read_text()


def test_a_task_outside_of_a_run_is_refused(executor_input: dict[str, Any]) -> None:
    with pytest.raises(PipelineError, match="PIPELINE_RECORDS and PIPELINE_RUN_ID are not set"):
        run_report(executor_input)
