"""The commands about past runs, as processes."""

import json
from pathlib import Path

import pytest
from command_process import command
from past_summaries import leave_run

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
