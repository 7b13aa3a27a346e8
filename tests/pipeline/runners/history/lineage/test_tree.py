"""The trees show each artifact once, and a pipe cuts nothing."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from pipeline.runners.history.lineage.lineage import trace
from pipeline.runners.history.lineage.tree import print_lineage
from pipeline.runners.workspace.places import Workspace

PUSHED, INTERRUPTED = "20261123-021129-535341", "20261123-021144-107579"


def printed(thing: str, workspace: Workspace, width: int | None = None) -> list[str]:
    console = Console(file=io.StringIO(), width=width or 80, force_terminal=width is not None)
    print_lineage(trace(thing, workspace), console)
    return Text.from_ansi(console.file.getvalue()).plain.splitlines()


def test_a_model_hangs_above_its_causes_down_to_the_data(shop: Workspace) -> None:
    lines = printed("served", shop)
    assert lines[:2] == ["version 1795399903, served now", "made from"]
    assert re.search(r"PushedModel \d+  by Pusher, complete, 2026-11-\d\d \d\d:\d\d, run", lines[2])
    assert any("data: orders.csv  fingerprint" in line for line in lines)
    assert any("family ensemble, epochs" in line for line in lines)
    assert "made" not in lines


def test_an_artifact_has_one_branch_and_is_referred_to_afterwards(shop: Workspace) -> None:
    lines = printed("served", shop)
    whole = [line for line in lines if re.search(r"Examples 1  by", line)]
    assert len(whole) == 1
    assert sum("Examples 1 (see above)" in line for line in lines) > 3


def test_effects_reach_the_push_and_show_a_failure(shop: Workspace) -> None:
    lines = printed("1", shop)
    effects = lines[lines.index("made") :]
    assert any("PushedModel" in line for line in effects)
    assert any("Trainer, failed, 2026-11-23" in line for line in effects)
    assert any("AnomalyGate, complete" in line for line in effects)


def test_the_tree_of_a_run_has_only_what_the_run_did_beside_its_causes(shop: Workspace) -> None:
    lines = printed(INTERRUPTED, shop)
    effects = "\n".join(lines[lines.index("made") :])
    assert "Trainer, failed" in effects
    assert "PushedModel" not in effects
    assert not any("by Trainer" in line for line in lines)


@pytest.mark.parametrize("width", [40, 100])
def test_no_line_is_longer_than_the_terminal(shop: Workspace, width: int) -> None:
    assert all(len(line) <= width for line in printed("served", shop, width))


def test_names_of_the_data_are_inert(shop: Workspace) -> None:
    lineage = trace("1", shop)
    maker = lineage.executions[1]
    assert maker.data is not None
    data = replace(maker.data, files=("[bold]a\x1b[2J\n.csv",))
    hostile = replace(lineage, executions={**lineage.executions, 1: replace(maker, data=data)})
    console = Console(file=io.StringIO())
    print_lineage(hostile, console)
    assert r"data: [bold]a\x1b[2J\n.csv" in console.file.getvalue()
