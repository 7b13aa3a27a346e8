"""Old runs are removed whole, and a kill at any moment leaves nothing behind for good."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import pytest
from accidents import small_disk
from recorded_workspace import MADE, RecordedWorkspace

from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.core.ownership import TRAINING, own_backup
from pipeline.runners.history.garbage.remove import plan_removal, remove, remove_as_planned
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


def test_nothing_is_removed_if_more_would_go_than_a_person_has_seen(
    recorded: RecordedWorkspace,
) -> None:
    for _ in range(2):
        recorded.run(ALL)
    shown = plan_removal(recorded.workspace, 1)
    recorded.run(ALL)
    before = recorded.directories()
    with pytest.raises(ConfigError, match="nothing was removed"):
        remove_as_planned(shown, recorded.workspace, 1)
    assert recorded.directories() == before
    assert remove_as_planned(plan_removal(recorded.workspace, 1), recorded.workspace, 1).runs == 2


def test_the_pages_that_compare_a_run_go_with_it(recorded: RecordedWorkspace) -> None:
    runs = [recorded.run(ALL) for _ in range(4)]
    pairs = list(pairwise(runs))
    for pair in pairs:
        for page in (recorded.workspace.comparison(*pair), recorded.root / "notes.html"):
            page.write_text("<p>")
            page.with_suffix(".json").write_text("{}")
    remove(plan_removal(recorded.workspace, 2), recorded.workspace)
    left = {path.name for path in recorded.root.glob("*.html")}
    assert left == {recorded.workspace.comparison(*pairs[-1]).name, "notes.html"}
    assert len([*recorded.root.glob("compare-*.json")]) == 1


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


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_full_to_the_last_byte_is_freed(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", megabytes=2):
        recorded = RecordedWorkspace(tmp_path / "disk" / "out")
        runs = [recorded.run(ALL) for _ in range(3)]
        for directory in recorded.workspace.run_directories():
            (directory / RunFile.REPORT).write_bytes(b"x" * 100_000)
        fill(tmp_path / "disk")
        with recorded.workspace.lock():
            fill(tmp_path / "disk")
            removed = remove(plan_removal(recorded.workspace, 1), recorded.workspace)
        assert (removed.runs, removed.artifacts) == (2, 6)
        assert [run.run for run in list_runs(recorded.workspace)] == runs[2:]
        assert recorded.directories() == {recorded.uri(a) for a in recorded.live()}


def fill(disk: Path) -> None:
    for number in count(len([*disk.iterdir()])):
        try:
            (disk / f"filler-{number}").write_bytes(b"x" * 4096)
        except OSError:
            return


def start_gc(root: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "pipeline", "gc", "--keep", "1", "--yes", "--output", root]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)


def count_files(recorded: RecordedWorkspace) -> int:
    directories = recorded.directories()
    return sum(len(names) for directory in directories for _, _, names in os.walk(directory))


def kill_within(recorded: RecordedWorkspace, left: int) -> None:
    """Kills a gc when it has removed all but `left` files, or whatever it does after that."""
    process = start_gc(recorded.root)
    while process.poll() is None:
        time.sleep(0.01)
        # It must not go on while this process counts.
        process.send_signal(signal.SIGSTOP)
        if count_files(recorded) <= left:
            break
        process.send_signal(signal.SIGCONT)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_gc_that_is_killed_at_random_moments_ends_well(tmp_path: Path) -> None:
    """Many files make the removal slow enough to be killed within it."""
    recorded = RecordedWorkspace(tmp_path / "out", files=200, file_bytes=1)
    pushed = recorded.run(ALL, version="17")
    for _ in range(6):
        recorded.run(ALL)
    newest = recorded.run(ALL)
    needed = {1, 2, 3, 22, 23, 24}
    files = count_files(recorded)
    stays = files * len(needed) // 24
    chance = random.Random(17)
    met = 0
    for _ in range(5):
        kill_within(recorded, stays + int(chance.uniform(0.2, 0.95) * (files - stays)))
        # Whatever a cache would take is whole.
        live = recorded.live()
        assert needed <= live
        for artifact in live:
            assert len(list(Path(recorded.uri(artifact)).iterdir())) == recorded.files
        listed = [run.run for run in list_runs(recorded.workspace)]
        assert {pushed, newest} <= {*listed}
        met += stays < count_files(recorded) < files
        files = count_files(recorded)
    assert met, "no kill met the removal: the test shows nothing"

    assert start_gc(recorded.root).wait() == 0
    assert recorded.live() == needed
    assert recorded.directories() == {recorded.uri(a) for a in needed}
    assert not list(recorded.workspace.logs.glob(f"{REMOVED_PREFIX}*"))
    assert [run.run for run in list_runs(recorded.workspace)] == [pushed, newest]


def test_a_run_sweeps_what_a_killed_gc_has_marked(recorded: RecordedWorkspace) -> None:
    recorded.run(ALL)
    recorded.run(ALL)
    plan = plan_removal(recorded.workspace, 1)
    everything = recorded.directories()
    mark_deleted(recorded.store, plan.old[0].artifacts)
    assert recorded.directories() == everything
    sweep_deleted(recorded.store, recorded.workspace.artifacts)
    assert recorded.directories() == {recorded.uri(a) for a in recorded.live()}
