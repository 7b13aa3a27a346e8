"""The commands about past runs, as processes."""

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from command_process import ROOT, command
from past_summaries import leave_run
from recorded_workspace import MADE, RecordedWorkspace

from pipeline.core.events import RunEnded
from pipeline.runners.workspace.places import Workspace


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --output DIR or --config FILE"),
        (("--output", "/nope"), "/nope: there is no such directory"),
        (("--output", ".", "--status", "nope"), "no run has this status"),
        (("--output", ".", "--since", "yesterday"), "--since"),
    ],
)
def test_wrong_usage_of_runs_ends_with_2(arguments: tuple[str, ...], words: str) -> None:
    code, output = command("runs", *arguments)
    assert code == 2
    assert words in output


def test_a_lineage_is_printed_in_three_forms(shop: Workspace) -> None:
    served = ("lineage", "served", "--output", str(shop.root))
    code, output = command(*served)
    assert code == 0, output
    assert "data: orders.csv" in output
    assert json.loads(command(*served, "--json")[1])["subject"] == "version 1795399903, served now"
    assert command(*served, "--dot")[1].startswith("digraph lineage {")


def test_a_thing_without_a_lineage_ends_with_2(shop: Workspace) -> None:
    code, output = command("lineage", "1795399", "--output", str(shop.root))
    assert code == 2
    assert "did you mean 1795399903?" in output


def test_gc_shows_asks_and_removes(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    runs = [recorded.run([*MADE]) for _ in range(2)]
    arguments = ("gc", "--keep", "1", "--output", str(recorded.root))
    code, output = command(*arguments)
    assert code == 2
    assert "give --yes" in output
    code, output = command(*arguments, "--dry-run")
    assert (code, runs[0] in output) == (0, True)
    assert recorded.workspace.run_directories()[0].name == runs[0]
    code, output = command(*arguments, "--yes")
    assert code == 0, output
    assert "Removed 1 old run, 3 artifacts: " in output
    assert [path.name for path in recorded.workspace.run_directories()] == runs[1:]
    code, output = command(*arguments, "--yes")
    assert (code, output.splitlines()[-1]) == (0, "There is nothing to remove.")


def test_gc_asks_a_person_at_a_terminal_and_holds_no_lock_meanwhile(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    for _ in range(2):
        recorded.run([*MADE])
    arguments = ("gc", "--keep", "1", "--output", str(recorded.root))
    ask_at_a_terminal("no\n", recorded, *arguments)
    assert len(recorded.workspace.run_directories()) == 2
    ask_at_a_terminal("yes\n", recorded, *arguments)
    assert len(recorded.workspace.run_directories()) == 1


def ask_at_a_terminal(answer: str, recorded: RecordedWorkspace, *arguments: str) -> None:
    """Runs a command in a terminal, and types the answer when it asks."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pipeline", *arguments],
        cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while b"Remove them? [y/N]" not in shown:
        shown += os.read(ours, 4096)
    assert not recorded.workspace.is_locked()
    os.write(ours, answer.encode())
    # A terminal whose last process has ended gives an error.
    with contextlib.suppress(OSError):
        while os.read(ours, 4096):
            pass
    process.wait()
    os.close(ours)


def test_gc_leaves_nothing_in_a_directory_without_runs(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").touch()
    code, output = command("gc", "--keep", "1", "--output", str(tmp_path), "--yes")
    assert (code, output) == (0, f"{tmp_path} has no runs: there is nothing to remove.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_gc_does_not_work_beside_a_run(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    recorded.run([*MADE])
    with recorded.workspace.lock():
        code, output = command("gc", "--keep", "1", "--output", str(recorded.root), "--yes")
    assert code == 2
    assert "another run is at work here" in output


def test_runs_are_listed_as_a_table_and_as_json(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, tmp_path / "serving")
    assert command("runs", "--output", str(tmp_path)) == (0, f"{tmp_path} has no runs yet.\n")
    leave_run(
        workspace, "20260301-040000-000000", RunEnded(4, blessed=False, missed=("auc is low",))
    )
    code, output = command("runs", "--output", str(tmp_path))
    assert code == 0, output
    assert output.splitlines()[1].split()[:3] == ["20260301-040000-000000", "not", "blessed"]
    (listed,) = json.loads(command("runs", "--output", str(tmp_path), "--json")[1])
    assert (listed["status"], listed["exit_code"], listed["why"]) == (
        "not blessed",
        4,
        "auc is low",
    )
    code, output = command("runs", "--output", str(tmp_path), "--served")
    assert (code, output) == (0, f"None of the 1 runs of {tmp_path} fits the filters.\n")
