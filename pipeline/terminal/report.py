"""The report on a run that has ended."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from pipeline.config import METRICS, Config
from pipeline.core.commands import pipeline_command, tool_path
from pipeline.core.contracts import Node
from pipeline.core.errors import WAITING, NotBlessedError
from pipeline.core.events import DagFailure, DataChecked, Failure, Finding, WithdrawnModel
from pipeline.core.text import counted, printable
from pipeline.terminal.summary import RemovedRuns, Summary
from pipeline.terminal.tuning_report import print_best_values, print_tuning

_SHOW = "{} show --tag_set serve --signature_def serving_default --dir {}"
_NARROWEST_FINDINGS = 80
"""Columns of the terminal; below, findings are paragraphs, since nobody can read five columns."""
_NARROWEST_METRICS = 60
"""Columns of the terminal; below, the table of metrics has no column of thresholds."""


def print_report(summary: Summary, config: Config, console: Console) -> None:
    """Prints findings, trials and metrics, what was pushed or failed, and the next command."""
    if summary.findings and summary.findings.findings:
        _print_findings(summary.findings, console)
    if summary.tuning:
        print_tuning(summary.tuning, console)
    if summary.metrics:
        table = _metrics_table(summary, config)
        if console.width < _NARROWEST_METRICS:
            # The thresholds: a sentence below names each one that was missed.
            table.columns.pop()
        console.print(table)
    if summary.status == "tuned" and summary.tuning:
        print_best_values(summary.tuning, console)
    elif summary.exit_code == 0:
        unchanged = any(c.name == Node.PUSHER and c.cached for c in summary.components)
        word = "Already served: " if unchanged else "Pushed: "
        pushed = Text.assemble((word, "bold green"), printable(summary.pushed))
        console.print(pushed, soft_wrap=True)
        places = (tool_path("saved_model_cli"), os.path.relpath(summary.pushed or ""))
        command = _SHOW.format(*map(shlex.quote, places))
        console.print(
            _text(f"To inspect the model's inputs and outputs: {command}"), soft_wrap=True
        )
    elif summary.exit_code == WAITING:
        _print_waiting(summary, console)
    elif summary.withdrawn:
        _print_withdrawn(summary.withdrawn, summary, console)
    elif summary.exit_code == NotBlessedError.exit_code:
        console.print("Not blessed, and so not pushed:", style="bold red")
        for sentence in summary.missed:
            console.print(_text(f"  {sentence}"), soft_wrap=True)
    elif summary.error:
        if summary.pushed:
            # The failed component is BatchPredictor, which comes after the push.
            console.print(_text(f"Pushed: {summary.pushed}"), soft_wrap=True)
        _print_error(summary.error, summary.log, console)
    if summary.removed:
        _print_removed(summary.removed, console)


def _print_waiting(summary: Summary, console: Console) -> None:
    waiting = Path(summary.waiting or "")
    line = Text.assemble(("Waiting for a person: ", "bold cyan"), printable(waiting))
    console.print(line, soft_wrap=True)
    command = _promote(waiting.name, summary)
    console.print(_text(f"To serve it: {command}"), soft_wrap=True)


def _print_withdrawn(withdrawn: WithdrawnModel, summary: Summary, console: Console) -> None:
    line = Text.assemble(("Not pushed: ", "bold red"), printable(f"{withdrawn.why}."))
    console.print(line, soft_wrap=True)
    command = _promote(withdrawn.version, summary)
    console.print(_text(f"To serve it nevertheless: {command}"), soft_wrap=True)
    console.print("A run with other data or other settings makes another model, and pushes it.")


def _promote(version: str, summary: Summary) -> str:
    # The log is DIR/logs/RUN/run.log.
    return pipeline_command("promote", version, "--output", Path(summary.log).parents[2])


def describe_removed(removed: RemovedRuns) -> str:
    """Returns what was removed in one sentence; empty if there was nothing to remove."""
    if removed.error:
        return f"Old runs stay on the disk: {removed.error}"
    what = f"{counted(removed.runs, 'old run')}, {counted(removed.artifacts, 'artifact')}"
    return f"Removed {what}: {decimal(removed.bytes)} are free again." if removed.runs else ""


def _print_removed(removed: RemovedRuns, console: Console) -> None:
    if sentence := describe_removed(removed):
        style = "yellow" if removed.error else "dim"
        console.print(Text(printable(sentence), style=style), soft_wrap=True)


def print_page(page: Path, console: Console) -> None:
    """Prints where the page of a run is."""
    console.print(_text(f"Report: {os.path.relpath(page)}"), soft_wrap=True)


def _print_error(error: Failure, log: str, console: Console) -> None:
    component = error.component if isinstance(error, DagFailure) else None
    where = f"{component}: " if component else ""
    message = Text.assemble(("Error: ", "bold red"), printable(where + error.message))
    console.print(message, soft_wrap=True)
    if error.hint:
        console.print(_text(f"  {error.hint}"), soft_wrap=True)
    console.print(_text(f"Log: {log}"), soft_wrap=True)


def _print_findings(checked: DataChecked, console: Console) -> None:
    console.print(_text(f"Data compared with {checked.checked_against}:"))
    if console.width < _NARROWEST_FINDINGS:
        _print_findings_as_paragraphs(checked.findings, console)
    else:
        console.print(_findings_table(checked.findings))
    console.print("If the new data is correct:")
    for accept, names in group_by_acceptance(checked.findings).items():
        # On one line, however long, so that the user can copy it.
        console.print(_text(f"  {', '.join(names)}: {accept}"), soft_wrap=True)


def group_by_acceptance(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Returns each way to accept findings once, with the columns or kinds that it settles."""
    groups: dict[str, list[str]] = {}
    for finding in findings:
        names = groups.setdefault(finding.accept, [])
        name = finding.column or finding.kind.replace("_", " ")
        if name not in names:
            names.append(name)
    return groups


def _findings_table(findings: Sequence[Finding]) -> Table:
    table = Table("", "feature", "what is wrong", "expected", "found", show_lines=True)
    for finding in findings:
        found = _text(finding.found)
        if finding.examples:
            found.append("\nsuch as ").append_text(_text(", ".join(finding.examples)))
        about = (finding.column or "", finding.problem, finding.expected)
        cells = [*map(_text, about), found]
        for cell in cells:
            cell.overflow = "fold"
        table.add_row(finding.severity, *cells)
    return table


def _print_findings_as_paragraphs(findings: Sequence[Finding], console: Console) -> None:
    for finding in findings:
        about = f"{finding.column}: " if finding.column else ""
        console.print(_text(f"{finding.severity}: {about}{finding.problem}"), style="bold")
        found = ", ".join([finding.found, *finding.examples])
        console.print(_text(f"  expected: {finding.expected}"))
        console.print(_text(f"  found: {found}"))


def _text(content: object) -> Text:
    """Returns text that may come from a user's table, without markup and escape sequences."""
    return Text(printable(content))


def _metrics_table(summary: Summary, config: Config) -> Table:
    overall = summary.metrics.get("", {})
    names = sort_metrics(overall)
    bounds = config.evaluation.bounds_by_metric(config.label.classes)
    table = Table("metric", "value", "served", "threshold", box=None)
    for name in names:
        served = summary.baseline_metrics.get(name)
        bound = bounds.get(name, "")
        table.add_row(_text(name), format_metric(overall[name]), format_metric(served), bound)
    return table


def sort_metrics(names: Iterable[str]) -> list[str]:
    """Returns the metrics in the order in which people see them."""
    return sorted(names, key=_position)


def _position(name: str) -> int:
    """Returns the place of a metric in the table; metrics that METRICS does not list come first."""
    without_class = name.partition("[")[0]
    order = list(METRICS)
    return order.index(without_class) if without_class in order else -1


def format_metric(value: float | None) -> str:
    """Returns a metric as a table shows it, empty for None."""
    if value is None:
        return ""
    # Undefined metrics are NaN, such as the precision of a class that is never predicted.
    if math.isnan(value):
        return "undefined"
    # Large values are errors in the label's unit, such as money: people read all their digits.
    # A float of 1e15 and more has no exact digits.
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"
