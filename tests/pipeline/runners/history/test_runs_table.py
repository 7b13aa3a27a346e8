"""The table of past runs fits a terminal, and cuts nothing in a pipe."""

import io
import os
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from pipeline.runners.history.past_runs import PastRun
from pipeline.runners.history.runs_table import list_deciding_metrics, print_runs

RUN = PastRun(
    run="20260301-040000-000000",
    started="2026-03-01T04:00:00.000+00:00",
    seconds=1234.5,
    status="not blessed",
    component=None,
    exit_code=4,
    deciding=("pr_auc", "f1"),
    metrics={"auc": 0.9, "pr_auc": 0.81234567, "f1": None},
    version="1795413498",
    served="before",
    compared_with="the served model 17",
    why="pr_auc on the whole split is 0.81, at least 0.9 was asked for (missed by 0.09) " * 2,
    log="run.log",
    report=os.path.abspath("out/logs/20260301-040000-000000/report.html"),
)


def printed(width: int, *runs: PastRun, is_terminal: bool = True) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=is_terminal)
    print_runs(runs, console)
    return Text.from_ansi(console.file.getvalue()).plain.splitlines()


def test_in_a_pipe_each_run_is_one_line_with_everything() -> None:
    lines = printed(80, RUN, replace(RUN, why="a\nb\x1b[2J"), is_terminal=False)
    assert len(lines) == 3
    for text in (RUN.run, "not blessed", "0.8123", "undefined", "1795413498", "before", "1,234"):
        assert text in lines[1]
    assert RUN.why.strip() in lines[1]
    assert "out/logs/20260301-040000-000000/report.html" in lines[1]
    assert r"a\nb\x1b[2J" in lines[2]


def test_in_a_pipe_a_long_reason_pads_no_other_line() -> None:
    lines = printed(80, RUN, replace(RUN, why="too few rows"), is_terminal=False)
    assert lines == [line.rstrip() for line in lines]
    assert len(lines[2]) < len(lines[1]) - 100
    assert "  " not in lines[2].partition("report.html")[2].strip()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 160, 220])
def test_no_line_is_longer_than_the_terminal(width: int) -> None:
    lines = printed(width, RUN)
    assert all(len(line) <= width for line in lines)
    assert "not blessed" in "".join(lines)
    assert any("A wider terminal" in line for line in lines) == (width < 220)


def test_the_first_metric_with_a_threshold_comes_before_all_others() -> None:
    assert printed(60, RUN)[0].split()[2] == "pr_auc"
    assert list_deciding_metrics([RUN, replace(RUN, metrics={})]) == ["pr_auc", "f1"]
    assert list_deciding_metrics([replace(RUN, deciding=())]) == ["auc", "pr_auc", "f1"]
    assert list_deciding_metrics([]) == []


def test_the_component_stands_beside_the_status() -> None:
    failed = replace(RUN, status="failed", component="Trainer", why="")
    died = replace(RUN, status="died", component="Pusher", why="")
    _, first, second = printed(200, failed, died, is_terminal=False)
    assert "failed at Trainer" in first
    assert "died in Pusher" in second


def test_columns_without_content_are_left_out() -> None:
    empty = replace(RUN, version=None, served="", why="", report=None, seconds=None, metrics={})
    assert printed(200, empty, is_terminal=False)[0].split() == ["run", "status", "when"]
