"""A comparison reads a run's report, settings and artifacts."""

import shutil
from pathlib import Path

import pytest
from recorded_runs import Recorded, unpack

from pipeline.core.contracts import ArtifactType, Node
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.data import DriftRules
from pipeline.runners.comparing.inputs import NotComparableError, RunInputs

SCHEMA = """
feature { name: "price" type: FLOAT
  drift_comparator { jensen_shannon_divergence { threshold: 0.25 } } }
feature { name: "color" type: BYTES }
feature { name: "bought_at" type: BYTES }
"""


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
    assert (run.label, run.least_slice) == (None, 30)
    assert run.read_drift_rules() == DriftRules()


def test_the_rules_of_the_gate_come_from_configuration_and_schema(tmp_path: Path) -> None:
    own = unpack(tmp_path)
    run = read(own, "pushed")
    # The archive leaves the schema out.
    assert run.read_drift_rules() == DriftRules()
    [uri] = [a.uri for a in run.report.lineage.artifacts if a.producer == Node.SCHEMA_CURATOR]
    Path(uri).mkdir(parents=True)
    (Path(uri) / "schema.pbtxt").write_text(SCHEMA)
    assert run.read_drift_rules() == DriftRules(
        {"price": {"jensen_shannon_divergence": 0.25}, "color": {"infinity_norm": 0.1}}, 0.1
    )


def test_an_artifact_that_is_gone_is_named(recorded: Recorded) -> None:
    with pytest.raises(NotComparableError, match="has no artifact Model of the Nobody"):
        read(recorded, "pushed").require("Nobody", "Model")
