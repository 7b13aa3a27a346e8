"""What the terminal says when a run has ended."""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pipeline.config import METRICS, Config, Threshold
from pipeline.runners.summary import Summary
from pipeline.runners.workspace import Workspace

_SHOW = "{} show --tag_set serve --signature_def serving_default --dir {}"


def print_report(summary: Summary, config: Config, console: Console) -> None:
    """Metrics against thresholds and baseline, what was pushed, and what to type next."""
    if summary.findings.get("findings"):
        _print_findings(summary.findings, console)
    if summary.metrics:
        console.print(_metrics_table(summary, config))
    if summary.exit_code == 0:
        unchanged = any(c.name == "Pusher" and c.cached for c in summary.components)
        word = "Already served: " if unchanged else "Pushed: "
        console.print(Text.assemble((word, "bold green"), f"{summary.pushed}"), soft_wrap=True)
        tool = os.path.relpath(Path(sys.executable).with_name("saved_model_cli"))
        command = _SHOW.format(tool, os.path.relpath(summary.pushed or ""))
        console.print(f"Next, its inputs and outputs: {command}", soft_wrap=True, markup=False)
    elif summary.exit_code == 4:
        console.print("Not blessed, and so not pushed:", style="bold red")
        for sentence in summary.missed:
            console.print(f"  {sentence}", markup=False)
    elif summary.error:
        _print_error(summary, console)


def print_runs(workspace: Workspace, console: Console) -> None:
    """A line a run; one without a summary that is not at work died."""
    table = Table("run", "status", "exit code", "version", box=None)
    directories = sorted(workspace.logs.glob("*/"))
    for directory in directories:
        path = directory / "summary.json"
        if path.exists():
            run = json.loads(path.read_text(encoding="utf-8"))
            version = (run["pushed"] or "").rpartition("/")[2]
            table.add_row(run["run"], run["status"], str(run["exit_code"]), version)
        else:
            running = directory == directories[-1] and workspace.busy()
            table.add_row(directory.name, "running" if running else "died", "", "")
    console.print(table)


def _print_error(summary: Summary, console: Console) -> None:
    error = summary.error or {}
    where = f"{error['component']}: " if error.get("component") else ""
    console.print(Text.assemble(("Error: ", "bold red"), where + error["message"]))
    if error.get("hint"):
        console.print(Text("  " + error["hint"]))
    console.print(f"Log: {summary.log}", soft_wrap=True, markup=False)


def _print_findings(findings: dict[str, Any], console: Console) -> None:
    console.print(f"Data held against {findings['checked_against']}:")
    table = Table("", "feature", "what is wrong", "expected", "found", show_lines=True)
    for finding in findings["findings"]:
        examples = ", ".join(finding["examples"])
        found = f"{finding['found']}\nsuch as {examples}" if examples else finding["found"]
        cells = (finding["column"] or "", finding["problem"], finding["expected"], found)
        table.add_row(finding["severity"], *(Text(cell, overflow="fold") for cell in cells))
    console.print(table)
    console.print("To accept what is right as it is:")
    for accept in dict.fromkeys(finding["accept"] for finding in findings["findings"]):
        # On one line, however long: it is there to be copied.
        console.print(Text(f"  {accept}"), soft_wrap=True)


def _metrics_table(summary: Summary, config: Config) -> Table:
    overall = summary.metrics.get("", {})
    order = list(METRICS)
    names = sorted(overall, key=lambda n: order.index(_base(n)) if _base(n) in order else -1)
    table = Table("metric", "value", "served", "threshold", box=None)
    for name in names:
        served = summary.baseline_metrics.get(name)
        bounds = [b for t in config.evaluation.thresholds if (b := _bound(t, name))]
        table.add_row(Text(name), _number(overall[name]), _number(served), "; ".join(bounds))
    return table


def _base(name: str) -> str:
    """The metric's name without the class."""
    return name.partition("[")[0]


def _bound(threshold: Threshold, name: str) -> str:
    if threshold.metric != _base(name) or threshold.slice_by:
        return ""
    words = {"at_least": "at least", "at_most": "at most", "may_worsen_by": "may worsen by"}
    return ", ".join(
        f"{word} {value:g}"
        for key, word in words.items()
        if (value := getattr(threshold, key)) is not None
    )


def _number(value: float | None) -> str:
    if value is None:
        return ""
    # Such as the precision of a class that is never predicted.
    return "undefined" if math.isnan(value) else f"{value:,.4g}"
