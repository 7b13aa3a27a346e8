"""The report on a run that has ended."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.filesize import decimal
from rich.table import Table
from rich.text import Text

from pipeline.config import Config
from pipeline.core.commands import assignment, pipeline_command, tool_path
from pipeline.core.errors import (
    WAITING,
    NotBlessedError,
    ServingCheckError,
    WithdrawnError,
)
from pipeline.core.events import DagFailure, DataChecked, Failure, Finding, WithdrawnModel
from pipeline.core.stores.address import is_store_address
from pipeline.core.text import counted, printable
from pipeline.terminal.acceptance import (
    ACCEPT_ALL,
    ACCEPT_ALL_TEXT,
    can_accept_all,
    group_by_acceptance,
)
from pipeline.terminal.exports_report import print_exports
from pipeline.terminal.metrics_table import print_metrics
from pipeline.terminal.missed_bounds import (
    ACCEPT_TEXT,
    CHANGE_TEXT,
    PROMOTE_TEXT,
    THRESHOLDS,
    loosen_thresholds,
)
from pipeline.terminal.summary import RemovedRuns, Summary
from pipeline.terminal.tuning_report import print_best_values, print_tuning

_SHOW = "{} show --tag_set serve --signature_def serving_default --dir {}"
_NARROWEST_FINDINGS = 80
"""Columns of the terminal; below, findings are paragraphs, since nobody can read five columns."""


def print_report(summary: Summary, config: Config, console: Console) -> None:
    """Prints findings, trials and metrics, what was pushed or failed, and the next command."""
    if summary.findings and summary.findings.findings:
        _print_findings(summary.findings, console)
    if summary.tuning:
        print_tuning(summary.tuning, console)
    if summary.metrics:
        print_metrics(summary, config, console)
    if summary.exports:
        print_exports(summary.exports, summary.deciding, console)
    if summary.status == "tuned" and summary.tuning:
        print_best_values(summary.tuning, console)
    elif summary.exit_code == 0:
        word = "Already served: " if summary.is_unchanged else "Pushed: "
        pushed = Text.assemble((word, "bold green"), printable(_name_version(summary, config)))
        console.print(pushed, soft_wrap=True)
        places = (tool_path("saved_model_cli"), os.path.relpath(summary.pushed or ""))
        command = _SHOW.format(*map(shlex.quote, places))
        console.print(
            _text(f"To inspect the model's inputs and outputs: {command}"), soft_wrap=True
        )
    elif summary.exit_code == WAITING:
        _print_waiting(summary, console)
    elif summary.exit_code == WithdrawnError.exit_code and summary.withdrawn:
        _print_withdrawn(summary.withdrawn, summary, console)
    elif summary.exit_code == NotBlessedError.exit_code:
        _print_missed(summary, config, console)
    elif summary.exit_code == ServingCheckError.exit_code and summary.serving_check:
        console.print("The serving check failed, and so nothing was pushed:", style="bold red")
        for sentence in summary.serving_check.problems:
            console.print(_text(f"  {sentence}"), soft_wrap=True)
    elif summary.error:
        if summary.pushed:
            # The failed component is BatchPredictor, which comes after the push.
            console.print(_text(f"Pushed: {_name_version(summary, config)}"), soft_wrap=True)
        _print_error(summary.error, summary.log, console)
    for sentence in summary.warnings:
        warning = Text.assemble(("Warning: ", "bold yellow"), printable(f"{sentence}."))
        console.print(warning, soft_wrap=True)
    if summary.removed:
        _print_removed(summary.removed, console)


def _name_version(summary: Summary, config: Config) -> str:
    """Returns the place of the pushed version: on a store, not that of its copy."""
    pushed, serving = summary.pushed or "", config.serving.directory or ""
    return f"{serving}/{Path(pushed).name}" if is_store_address(serving) else pushed


def _print_missed(summary: Summary, config: Config, console: Console) -> None:
    console.print("Not blessed, and so not pushed:", style="bold red")
    for sentence in summary.missed:
        console.print(_text(f"  {sentence}"), soft_wrap=True)
    console.print("The report shows the worst slices and the most wrong rows.", soft_wrap=True)
    if thresholds := loosen_thresholds(summary, config):
        console.print(_text(f"{ACCEPT_TEXT}:"), soft_wrap=True)
        console.print(_text(f"  {assignment(THRESHOLDS, thresholds)}"), soft_wrap=True)
    else:
        console.print(_text(f"{CHANGE_TEXT}."), soft_wrap=True)
    console.print(_text(f"{PROMOTE_TEXT}."), soft_wrap=True)


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
    if can_accept_all(checked):
        console.print(_text(f"{ACCEPT_ALL_TEXT}: `--set {ACCEPT_ALL}`"), soft_wrap=True)


def _findings_table(findings: Sequence[Finding]) -> Table:
    table = Table("", "feature", "what is wrong", "expected", "found", show_lines=True)
    for finding in findings:
        found = _text(finding.found)
        if finding.examples:
            found.append("\nsuch as ").append_text(_text(", ".join(finding.examples)))
        if place := _describe_place(finding):
            found.append("\n").append_text(_text(place))
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
        if place := _describe_place(finding):
            console.print(_text(f"  {place}"))


def _describe_place(finding: Finding) -> str:
    """Returns since when a column is broken, and in which rows; empty if nobody knows."""
    since = f"since {finding.since}" if finding.since else ""
    rows = f"rows: {'; '.join(finding.rows)}" if finding.rows else ""
    return "; ".join(filter(None, (since, rows)))


def _text(content: object) -> Text:
    """Returns text that may come from a user's table, without markup and escape sequences."""
    return Text(printable(content))
