"""Old runs are removed whole, and a kill at any moment leaves nothing behind for good."""

import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from recorded_workspace import MADE, RecordedWorkspace

from pipeline.core.ownership import TRAINING, own_backup
from pipeline.runners.history.garbage.remove import plan_removal, remove
from pipeline.runners.history.past_runs import list_runs
from pipeline.runners.workspace.deletion import REMOVED_PREFIX, mark_deleted, measure, sweep_deleted

ALL = [*MADE]
ROOT = Path(__file__).parents[5]


@pytest.fixture
def recorded(tmp_path: Path) -> RecordedWorkspace:
    return RecordedWorkspace(tmp_path / "out")


def test_old_runs_are_removed_and_the_freed_bytes_are_counted(recorded: RecordedWorkspace) -> None:
    runs = [recorded.run(ALL) for _ in range(3)]
    live = recorded.live()
    before = measure(recorded.root)
    removed = remove(plan_removal(recorded.workspace, 2), recorded.workspace)
    assert (removed.runs, removed.artifacts, removed.error) == (1, 3, None)
    # The parent directories of what was removed may shrink, too.
    assert removed.bytes <= before - measure(recorded.root) <= removed.bytes + 20_000
    assert [run.run for run in list_runs(recorded.workspace)] == runs[1:]
    assert recorded.live() == live - {1, 2, 3}
    assert recorded.directories() == {recorded.uri(a) for a in recorded.live()}
    assert plan_removal(recorded.workspace, 2).old == ()


def test_a_backup_that_another_run_owns_stays(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.run(ALL)
    plan = plan_removal(recorded.workspace, 1)
    backups = recorded.workspace.backups
    for name in ("owned", "free"):
        (backups / name).mkdir(parents=True)
    old = replace(plan.old[0], backups=tuple(backups.iterdir()))
    with own_backup(backups, "owned", TRAINING):
        remove(replace(plan, old=(old,)), recorded.workspace)
    assert [path.name for path in backups.iterdir()] == ["owned"]


def test_without_metadata_only_logs_are_removed(recorded: RecordedWorkspace) -> None:
    runs = [recorded.run(ALL) for _ in range(2)]
    recorded.workspace.metadata.unlink()
    before = recorded.directories()
    removed = remove(plan_removal(recorded.workspace, 1), recorded.workspace)
    assert (removed.runs, removed.artifacts) == (1, 0)
    assert [run.run for run in list_runs(recorded.workspace)] == runs[1:]
    assert recorded.directories() == before


def start_gc(root: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "pipeline", "gc", "--keep", "1", "--yes", "--output", root]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def test_gc_that_is_killed_at_random_moments_ends_well(tmp_path: Path) -> None:
    """Many small files make the removal slow enough to be killed within it."""
    recorded = RecordedWorkspace(tmp_path / "out", files=400)
    for index in range(8):
        recorded.run(ALL, version="17" if index == 0 else "")
    # How long a whole gc takes here, with its start.
    shutil.copytree(tmp_path / "out", tmp_path / "timed" / "out")
    clock = time.monotonic()
    assert start_gc(tmp_path / "timed" / "out").wait() == 0
    whole = time.monotonic() - clock

    chance = random.Random(17)
    needed = recorded.live() - set(range(4, 22))
    moments: set[str] = set()
    for _ in range(200):
        process = start_gc(tmp_path / "out")
        try:
            assert process.wait(chance.uniform(0.3, 0.9) * whole) == 0
            break
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        # Whatever a cache would take is whole.
        live = recorded.live()
        assert needed <= live
        for artifact in live:
            assert len(list(Path(recorded.uri(artifact)).iterdir())) == 400
        assert "20260301-040000-000000" in [run.run for run in list_runs(recorded.workspace)]
        left = len(recorded.directories())
        moments.add("before" if left == 24 else "within" if left > 6 else "after")
    else:
        pytest.fail("no gc came to its end")
    assert "within" in moments, "no kill met the removal: the test shows nothing"
    assert recorded.live() == needed
    assert recorded.directories() == {recorded.uri(a) for a in needed}
    assert not list(recorded.workspace.logs.glob(f"{REMOVED_PREFIX}*"))
    assert len(list_runs(recorded.workspace)) == 2


def test_a_run_sweeps_what_a_killed_gc_has_marked(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.run(ALL)
    plan = plan_removal(recorded.workspace, 1)
    everything = recorded.directories()
    mark_deleted(recorded.store, plan.old[0].artifacts)
    assert recorded.directories() == everything
    sweep_deleted(recorded.store, recorded.workspace.artifacts)
    assert recorded.directories() == {recorded.uri(a) for a in recorded.live()}
