"""The serving directory names the runs and artifacts that it needs."""

from pathlib import Path

import pytest
from recorded_workspace import MADE, RecordedWorkspace

from components.served_model.waiting import Candidate
from pipeline.core.contracts import Property
from pipeline.runners.history.garbage.served import Served


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedWorkspace:
    return RecordedWorkspace(tmp_path / "out")


def test_nothing_is_needed_before_the_first_push(recorded: RecordedWorkspace) -> None:
    recorded.run([*MADE])
    served = Served(recorded.workspace, recorded.graph())
    assert (served.runs, served.artifacts) == ({}, set())


def test_a_version_in_another_serving_directory_counts(
    recorded: RecordedWorkspace, tmp_path: Path
) -> None:
    """`gc --output` alone does not know serving.directory; the metadata of the push does."""
    recorded.run([*MADE], version="17")
    (recorded.workspace.serving / "17").rename(tmp_path / "17")
    assert Served(recorded.workspace, recorded.graph()).runs == {}
    (push,) = recorded.store.get_artifacts_by_type("PushedModel")
    push.custom_properties[Property.PUSHED_DESTINATION].string_value = str(tmp_path / "17")
    recorded.store.put_artifacts([push])
    served = Served(recorded.workspace, recorded.graph())
    assert served.runs == {"2026-03-01T04:00:05": "made version 17"}


def test_a_waiting_candidate_needs_its_run_and_its_artifacts(recorded: RecordedWorkspace) -> None:
    recorded.run([*MADE], version="17")
    serving, model = recorded.workspace.serving, recorded.latest("Model")
    record = recorded.serve("17", model)
    # Nobody has promoted it yet.
    place = serving / ".waiting/17"
    place.mkdir(parents=True)
    (place / "candidate.json").write_text(Candidate(record, "", "", 5, "shop").to_json())
    (serving / "served.json").unlink()
    (serving / "17").rmdir()
    served = Served(recorded.workspace, recorded.graph())
    assert served.runs == {"2026-03-01T04:00:05": "made version 17"}
    assert served.artifacts == {model}


def test_the_pointer_names_artifacts_also_after_a_move(recorded: RecordedWorkspace) -> None:
    recorded.run([*MADE])
    model = recorded.latest("Model")
    recorded.serve("17", model)
    assert Served(recorded.workspace, recorded.graph()).artifacts == {model}
    moved = RecordedWorkspace(recorded.root.rename(recorded.root.with_name("moved")))
    served = Served(moved.workspace, moved.graph())
    assert served.artifacts == {model}
    assert served.runs == {"2026-03-01T04:00:05": "made version 17"}
