"""What is served is read from the serving directory, and who made it from the runs."""

from pathlib import Path

from recorded_runs import unpack

from pipeline.core.contracts import ArtifactFile, RunFile
from pipeline.runners.reporting.reading.serving import read_served
from pipeline.runners.workspace.deletion import remove_logs
from pipeline.runners.workspace.places import Workspace


def test_the_served_version_names_its_run_and_the_versions_before(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    version, name = recorded.versions["pushed again"], recorded.names["pushed again"]
    served = read_served(recorded.workspace)
    assert served
    assert (served.version, served.run, served.has_page) == (version, name, False)
    assert served.since == "2026-11-23T06:34:47+00:00"
    # The archive has no models, so there is nothing to go back to.
    assert (served.baseline, served.earlier) == (recorded.versions["retrained"], None)
    (recorded.workspace.serving / recorded.versions["pushed"]).mkdir()
    (recorded.workspace.logs / name / RunFile.REPORT).touch()
    again = read_served(recorded.workspace)
    assert again
    assert (again.has_page, again.earlier) == (True, recorded.versions["pushed"])


def test_nothing_is_read_where_nothing_is_served(tmp_path: Path) -> None:
    assert read_served(Workspace(tmp_path, tmp_path / "serving")) is None


def test_a_removed_run_and_a_damaged_pointer_cost_what_they_knew(tmp_path: Path) -> None:
    recorded = unpack(tmp_path)
    remove_logs(recorded.workspace.logs / recorded.names["pushed again"])
    served = read_served(recorded.workspace)
    assert served
    assert (served.run, served.has_page) == (None, False)
    (recorded.workspace.serving / ArtifactFile.SERVED_RECORD).write_text("{")
    assert read_served(recorded.workspace) is None
