"""Reports of real runs of every kind, and of an older version's workspace."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from recorded_runs import Recorded, unpack

from pipeline.core.contracts import Node
from pipeline.report.content import Report
from pipeline.runners.reporting.gather import gather_report

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="module")
def reports(recorded: Recorded) -> dict[str, Report]:
    """Returns the report of each recorded run."""
    return {kind: gather_report(recorded.workspace, n) for kind, n in recorded.names.items()}


def states(report: Report) -> dict[str, str]:
    return {row.name: row.state for row in report.components}


def test_a_pushed_run_is_told_from_its_data_to_its_metrics(
    reports: dict[str, Report], recorded: Recorded
) -> None:
    report = reports["pushed"]
    assert (report.pipeline, report.run) == ("shop", recorded.names["pushed"])
    assert (report.verdict.status, report.verdict.exit_code) == ("pushed", 0)
    assert "at least 0.7 was asked for" in report.verdict.reasons[0]
    assert set(states(report).values()) == {"complete"}
    assert sum((report.components[0].rows or {}).values()) == 600
    transform = next(row for row in report.components if row.name == Node.TRANSFORM)
    assert "AnomalyGate" in transform.upstream
    assert report.training
    # Early stopping ended the fit before its 15 epochs.
    assert len(report.training.epochs) == 13
    assert {"loss", "eval_loss", "learning_rate", "examples_per_second"} <= set(
        report.training.epochs[0].values
    )
    assert report.quality
    assert report.quality.blessed is True
    assert next(row for row in report.quality.metrics if row.name == "auc").passed is True
    assert report.data.figures
    assert {column.name for column in report.data.figures.columns} == {"price", "color", "bought"}
    assert report.quality.figures
    assert report.quality.figures.binary
    assert report.seconds
    assert report.seconds > sum(row.seconds or 0 for row in report.components)


def test_the_lineage_of_a_pushed_run_is_complete(
    reports: dict[str, Report], recorded: Recorded
) -> None:
    lineage = reports["pushed"].lineage
    [file] = lineage.data_files
    assert (file.path, len(lineage.fingerprint or "")) == ("shop.csv", 32)
    assert "hidden_units" in lineage.configuration
    assert {"Trainer, loaded module", "Evaluator", "Transform"} <= set(lineage.code_digests)
    assert {"tensorflow", "tfx", "numpy", "python"} <= set(lineage.versions)
    assert lineage.seeds["training.seed"] == 0
    by_id = {artifact.id: artifact for artifact in lineage.artifacts}
    model = next(artifact for artifact in by_id.values() if artifact.type == "Model")
    assert {by_id[parent].type for parent in model.parents} == {
        "Schema", "TransformGraph", "Examples",
    }  # fmt: skip
    assert {artifact.made_by_run for artifact in by_id.values()} == {recorded.names["pushed"]}


def test_a_cached_run_shows_the_training_of_the_run_that_trained(
    reports: dict[str, Report], recorded: Recorded
) -> None:
    first, second = reports["pushed"], reports["cached"]
    assert set(states(second).values()) == {"cached"}
    assert "served already" in second.verdict.headline
    assert first.training
    assert second.training
    assert second.training.cached_from == recorded.names["pushed"]
    assert second.training.epochs == first.training.epochs
    assert second.quality == first.quality
    assert second.lineage.artifacts == first.lineage.artifacts


def test_a_model_that_is_not_blessed_misses_a_bound(reports: dict[str, Report]) -> None:
    report = reports["not blessed"]
    assert report.verdict.exit_code == 4
    assert "at least 0.999 was asked for" in report.verdict.reasons[0]
    assert report.quality
    assert report.quality.blessed is False
    assert next(row for row in report.quality.metrics if row.name == "auc").passed is False


def test_a_failed_run_names_component_cause_and_way_on(reports: dict[str, Report]) -> None:
    report = reports["failed"]
    assert report.verdict.headline == "Trainer failed."
    assert "diverged" in report.verdict.reasons[0]
    assert "learning_rate" in report.verdict.next_steps[0].text
    assert states(report)["Trainer"] == "failed"
    assert states(report)["Pusher"] == "waiting"
    assert report.quality is None
    assert report.data.checked_against


@pytest.mark.parametrize("kind", ["interrupted", "died"])
def test_a_training_that_did_not_end_is_told_from_its_events(
    reports: dict[str, Report], kind: str
) -> None:
    report = reports[kind]
    assert report.verdict.status == kind
    assert "Trainer" in report.verdict.headline
    assert states(report)["Trainer"] == "interrupted"
    assert report.training
    assert len(report.training.epochs) >= 3
    assert report.training.planned_epochs == 4000
    assert report.training.best_epoch is None
    assert "training.epochs=4000" in (report.verdict.next_steps[0].command or "")


def test_a_stopped_run_says_what_stopped_it_and_how_to_accept_it(
    reports: dict[str, Report],
) -> None:
    report = reports["stopped"]
    assert report.verdict.exit_code == 3
    assert report.data.checked_against
    assert report.data.checked_against.startswith("the served model")
    about = {finding.column for finding in report.data.findings}
    assert {"price", "color"} <= about
    assert any("--set" in (step.command or "") for step in report.verdict.next_steps[1:])
    assert report.training is None
    assert states(report)["AnomalyGate"] == "failed"


def test_a_stopped_run_shows_what_the_served_model_looks_at(
    reports: dict[str, Report], recorded: Recorded
) -> None:
    report = reports["stopped"]
    assert report.served
    assert report.served.run in recorded.names.values()
    assert report.served.version in recorded.versions.values()
    assert report.served.figures.importance
    assert reports["pushed"].served is None


def test_a_second_push_is_compared_with_the_served_model(reports: dict[str, Report]) -> None:
    report = reports["pushed again"]
    assert report.quality
    assert next(row for row in report.quality.metrics if row.name == "auc").served is not None
    assert "served before" in report.verdict.next_steps[2].text


def test_a_run_whose_metadata_was_deleted_is_told_from_its_logs(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    recorded.workspace.metadata.unlink()
    report = gather_report(recorded.workspace, recorded.names["pushed"])
    assert report.verdict.exit_code == 0
    assert report.training
    assert len(report.training.epochs) == 13
    assert report.lineage.artifacts == ()


def test_a_workspace_without_artifacts_has_reports(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    shutil.rmtree(recorded.workspace.root / "artifacts")
    report = gather_report(recorded.workspace, recorded.names["cached"])
    assert report.quality
    assert report.training is None


def test_reading_a_workspace_changes_no_file(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    before = {p: p.stat().st_mtime_ns for p in recorded.workspace.root.rglob("*")}
    for name in recorded.names.values():
        gather_report(recorded.workspace, name)
    assert {p: p.stat().st_mtime_ns for p in recorded.workspace.root.rglob("*")} == before


GATHER = """
import sys
from pathlib import Path
from pipeline.runners.reporting.gather import gather_report
from pipeline.runners.workspace.places import Workspace
gather_report(Workspace(Path(sys.argv[1]), Path(sys.argv[1])), sys.argv[2])
heavy = {"tensorflow", "tfx", "apache_beam", "pyarrow", "pandas"}
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""


def test_gathering_imports_nothing_heavy(recorded: Recorded) -> None:
    root, name = recorded.workspace.root, recorded.names["pushed again"]
    command = [sys.executable, "-c", GATHER, root, name]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert output == "[]\n"
