"""A comparison reads a run's report, settings and artifacts."""

import shutil
from pathlib import Path

from recorded_runs import Recorded, unpack

from pipeline.core.contracts import ArtifactType, Node
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.inputs import RunInputs


def read(recorded: Recorded, kind: str) -> RunInputs:
    return RunInputs.read(ChosenRun("x", recorded.workspace, recorded.names[kind]))


def test_a_run_is_named_with_its_version_and_its_rows(recorded: Recorded) -> None:
    side = read(recorded, "pushed").side
    assert (side.asked, side.run, side.pipeline) == ("x", recorded.names["pushed"], "shop")
    assert (side.status, side.version) == ("pushed", recorded.versions["pushed"])
    assert sum(side.rows.values()) == 600
    assert read(recorded, "stopped").side.version is None


def test_settings_come_from_the_recorded_configuration(recorded: Recorded) -> None:
    run = read(recorded, "pushed")
    assert run.configuration["training"]["epochs"] == 15
    assert run.validation.numeric_drift == 0.05
    assert (run.least_slice, run.shows_rows) == (30, True)


def test_an_artifact_whose_files_were_removed_is_not_found(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    uri = read(own, "pushed").find(Node.EVALUATOR, ArtifactType.PREDICTIONS)
    assert uri
    shutil.rmtree(uri)
    assert read(own, "pushed").find(Node.EVALUATOR, ArtifactType.PREDICTIONS) is None
    assert read(own, "pushed").find(Node.EVALUATOR, "Nothing") is None


def test_a_run_without_a_recorded_configuration_has_the_defaults(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    (own.workspace.logs / own.names["pushed"] / "config.yaml").unlink()
    run = read(own, "pushed")
    assert run.configuration == {}
    assert (run.validation.numeric_drift, run.least_slice) == (0.05, 30)
