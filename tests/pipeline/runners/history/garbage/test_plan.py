"""Old runs go with what only they used; what a run that stays needs is never planned."""

import os
import shutil
from datetime import datetime
from pathlib import Path

import pytest
from ml_metadata.proto import metadata_store_pb2 as mlmd
from recorded_workspace import MADE, STAMP, RecordedWorkspace

from pipeline.core.errors import ConfigError
from pipeline.runners.history.garbage.plan import NEWEST, Plan, list_all_runs, make_plan

ALL = [*MADE]


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedWorkspace:
    return RecordedWorkspace(tmp_path / "out")


def plan(recorded: RecordedWorkspace, keep: int) -> Plan:
    return make_plan(recorded.workspace, recorded.graph(), keep)


def names(planned: Plan) -> list[str]:
    return [old.run.name for old in planned.old]


def test_the_newest_runs_stay_and_older_ones_go_with_their_artifacts(
    recorded: RecordedWorkspace,
) -> None:
    runs = [recorded.run(ALL) for _ in range(4)]
    planned = plan(recorded, 2)
    assert names(planned) == runs[:2]
    assert planned.kept == dict.fromkeys(runs[2:], NEWEST)
    for old in planned.old:
        assert len(old.artifacts) == 3
        # An artifact and TFX's own directory for each component.
        assert len(old.directories) == 6
        assert old.measure() > 3 * 5000
    assert plan(recorded, 4).old == ()
    assert plan(recorded, 9).old == ()


def test_what_a_run_that_stays_took_from_the_cache_stays(recorded: RecordedWorkspace) -> None:
    first = recorded.run(ALL)
    examples = recorded.latest("Examples")
    recorded.run(["Trainer", "Pusher"])
    old = plan(recorded, 1).old[0]
    assert old.run.name == first
    assert examples not in old.artifacts
    assert len(old.artifacts) == 2
    assert Path(recorded.uri(examples)) not in old.directories
    assert len(old.directories) == 5


def test_a_cached_run_goes_with_its_logs_only(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    cached = recorded.run([])
    recorded.run([])
    planned = plan(recorded, 1)
    assert {old.run.name: old.artifacts for old in planned.old}[cached] == ()
    # All that the cached run of today uses was made by the first run.
    assert [len(old.artifacts) for old in planned.old] == [0, 0]


def test_a_run_stays_while_its_version_lies_in_the_serving_directory(
    recorded: RecordedWorkspace,
) -> None:
    pushed = recorded.run(ALL, version="17")
    for _ in range(3):
        recorded.run(["Trainer", "Pusher"])
    planned = plan(recorded, 1)
    assert planned.kept[pushed] == "made version 17"
    assert len(planned.old) == 2
    shutil.rmtree(recorded.workspace.serving / "17")
    assert names(plan(recorded, 1))[0] == pushed


def test_only_the_run_that_made_a_version_stays_not_each_that_found_it_served(
    recorded: RecordedWorkspace,
) -> None:
    pushed = recorded.run(ALL, version="17")
    again = recorded.run(["Pusher"], version="17")
    recorded.run(ALL)
    planned = plan(recorded, 1)
    assert pushed in planned.kept
    assert names(planned) == [again]


def test_the_runs_of_the_served_model_and_of_its_baseline_stay(
    recorded: RecordedWorkspace,
) -> None:
    """Also without a push in the metadata, as after a kill of the Pusher."""
    first = recorded.run(ALL)
    record = recorded.serve("16", recorded.latest("Model"))
    second = recorded.run(ALL)
    recorded.serve("17", recorded.latest("Model"), baseline=record)
    third = recorded.run(ALL)
    newest = recorded.run(ALL)
    planned = plan(recorded, 1)
    reasons = {first: "made version 16", second: "made version 17", newest: NEWEST}
    assert dict(planned.kept) == reasons
    assert names(planned) == [third]


def test_a_damaged_pointer_stops_the_planning(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.serve("17", recorded.latest("Model"))
    (recorded.workspace.serving / "served.json").write_text("damaged")
    with pytest.raises(ConfigError, match="damaged"):
        plan(recorded, 1)


def test_an_unfinished_run_stays(recorded: RecordedWorkspace) -> None:
    unfinished = recorded.run(["ExampleGen", "Trainer"], state=mlmd.Execution.RUNNING)
    failed = recorded.run(["ExampleGen", "Trainer"], state=mlmd.Execution.FAILED)
    recorded.run(ALL)
    planned = plan(recorded, 1)
    assert planned.kept[unfinished] == "is unfinished"
    assert names(planned) == [failed]


def test_a_run_without_components_goes_with_its_logs(recorded: RecordedWorkspace) -> None:
    (recorded.workspace.logs / "20250101-000000-000000").mkdir(parents=True)
    (recorded.workspace.logs / "renamed by hand").mkdir()
    recorded.run(ALL)
    assert names(plan(recorded, 1)) == ["20250101-000000-000000"]


def test_a_run_whose_logs_are_gone_goes_too_and_only_once(recorded: RecordedWorkspace) -> None:
    name = recorded.run(ALL)
    recorded.run(ALL)
    shutil.rmtree(recorded.workspace.logs / name)
    (old,) = plan(recorded, 1).old
    assert (old.run.name, old.run.logs, len(old.artifacts)) == ("2026-03-01T04:00:05", None, 3)
    for directory in old.directories:
        shutil.rmtree(directory)
    artifacts = recorded.store.get_artifacts_by_id([*old.artifacts])
    for artifact in artifacts:
        artifact.state = mlmd.Artifact.DELETED
    recorded.store.put_artifacts(artifacts)
    assert plan(recorded, 1).old == ()


def test_a_backup_goes_with_the_run_that_wrote_it_last(recorded: RecordedWorkspace) -> None:
    old, new = recorded.run(ALL), recorded.run(ALL)
    for name, run in {"a": old, "b": new}.items():
        (recorded.workspace.backups / name).mkdir(parents=True)
        start = datetime.strptime(run, "%Y%m%d-%H%M%S-%f").timestamp()
        os.utime(recorded.workspace.backups / name, (start + 60, start + 60))
    (recorded.workspace.backups / "of an unknown run").mkdir()
    os.utime(recorded.workspace.backups / "of an unknown run", (1000, 1000))
    (planned,) = plan(recorded, 1).old
    assert [path.name for path in planned.backups] == ["a"]


def test_artifacts_of_other_metadata_are_named_and_stay(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.run(ALL)
    unknown = recorded.root / "artifacts" / "20250101-000000-000000" / "Trainer" / "out" / "1"
    unknown.mkdir(parents=True)
    planned = plan(recorded, 1)
    assert planned.unknown == (unknown.parents[2],)
    assert all(STAMP in str(path) for old in planned.old for path in old.directories)


def test_a_moved_workspace_loses_its_own_directories(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.run(ALL)
    moved = recorded.root.rename(recorded.root.with_name("moved"))
    workspace = RecordedWorkspace(moved).workspace
    (old,) = make_plan(workspace, RecordedWorkspace(moved).graph(), 1).old
    assert len(old.directories) == 6
    assert all(path.is_relative_to(moved) for path in old.directories)


def test_runs_are_ordered_by_their_start(recorded: RecordedWorkspace) -> None:
    first, second, third = (recorded.run(ALL) for _ in range(3))
    shutil.rmtree(recorded.workspace.logs / first)
    listed = [run.name for run in list_all_runs(recorded.workspace, recorded.graph())]
    assert listed == ["2026-03-01T04:00:05", second, third]
