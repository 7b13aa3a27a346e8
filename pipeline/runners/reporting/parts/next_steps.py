"""What the user can do after each ending, with complete commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from components.served_model.served_record import read_pointer_file
from pipeline.core.errors import ConfigError
from pipeline.core.events import Finding
from pipeline.report.content import NextStep
from pipeline.runners.reporting.parts import commands
from pipeline.runners.reporting.reading.run_files import DIED, RunFiles
from pipeline.terminal.report import group_by_acceptance

_ASSIGNMENT = re.compile(r"`--set ([^`]+)`")
"""An option in a sentence of a finding."""
_LOOK_AT_DATA = (
    "Look at the findings and their examples in the part about the data. If the data is wrong, "
    "correct it and run again"
)
_CHANGE_THRESHOLDS = (
    "If the model is good enough for you, change the missed bounds in evaluation.thresholds and "
    "run again: nothing is trained again"
)


def advise(run: RunFiles, root: Path) -> Iterator[NextStep]:
    """Yields the next steps, the most useful one first.

    Args:
      root: the output directory.
    """
    yield from _ADVICE.get(run.summary.status, _after_failure)(run, root)


def _after_push(run: RunFiles, root: Path) -> Iterator[NextStep]:
    version = Path(run.summary.pushed or "")
    yield NextStep("See the inputs and outputs of the model", commands.inspect_model(run, version))
    if before := _find_baseline(version):
        command = commands.compare_runs(run, root, before, version.name)
        yield NextStep("Compare with the model that was served before", command)
        text = "If the new model turns out to be wrong, go back to the model that was served before"
        yield NextStep(text, commands.roll_back(run, root, before))


def _find_baseline(version: Path) -> str | None:
    """Returns the version that the served model was compared with, if it is the served one."""
    try:
        record = read_pointer_file(str(version.parent))
    except ConfigError:
        return None
    if record is None or record.version != version.name or record.baseline is None:
        return None
    return record.baseline.version


def _after_waiting(run: RunFiles, root: Path) -> Iterator[NextStep]:
    number = Path(run.summary.waiting or "").name
    text = "Look at the worst slices and the most wrong rows, then serve the model"
    yield NextStep(text, commands.promote(run, root, number))
    if run.summary.baseline_metrics:
        command = commands.compare_runs(run, root, "served", run.directory.name)
        yield NextStep("Compare with the served model", command)


def _after_withdrawal(run: RunFiles, root: Path) -> Iterator[NextStep]:
    text = "See what is served and what is withdrawn, by whom and why"
    yield NextStep(text, commands.list_versions(run, root))
    text = "Change data or settings and run again: the run then makes another model"
    yield NextStep(text, commands.run_again(run, root))
    if withdrawn := run.summary.withdrawn:
        text = "If the model was withdrawn by mistake, serve it again"
        yield NextStep(text, commands.promote(run, root, withdrawn.version))


def _after_stop(run: RunFiles, root: Path) -> Iterator[NextStep]:
    yield NextStep(_LOOK_AT_DATA, commands.run_again(run, root))
    findings = run.summary.findings.findings if run.summary.findings else ()
    stopping = [finding for finding in findings if finding.severity == "stop"]
    yield from _accept(stopping, run, root)


def _accept(findings: list[Finding], run: RunFiles, root: Path) -> Iterator[NextStep]:
    """Yields how to accept the data, once for all columns with the same advice."""
    for accept, names in group_by_acceptance(findings).items():
        option = _ASSIGNMENT.search(accept)
        command = commands.run_again(run, root, "--set", option[1]) if option else None
        yield NextStep(f"If the new data of {', '.join(names)} is correct: {accept}", command)


def _after_miss(run: RunFiles, root: Path) -> Iterator[NextStep]:
    text = "Look at the worst slices and the most wrong rows in the part about the quality"
    yield NextStep(text, None)
    if run.summary.baseline_metrics:
        command = commands.compare_runs(run, root, "served", run.directory.name)
        yield NextStep("Compare with the served model", command)
    if run.config and run.config.tuning is None:
        text = "Search for better settings: docs/tuning.md has an example of the section tuning"
        yield NextStep(text, None)
    yield NextStep(_CHANGE_THRESHOLDS, commands.run_again(run, root))


def _after_search(run: RunFiles, root: Path) -> Iterator[NextStep]:
    yield NextStep("Train with the best values", commands.train_after_search(run, root))


def _after_failure(run: RunFiles, root: Path) -> Iterator[NextStep]:
    if run.summary.error and run.summary.error.hint:
        yield NextStep(run.summary.error.hint, None)
    yield NextStep("Read the log", commands.read_log(run))
    text = "Run again after the repair: what is complete comes from the cache"
    yield NextStep(text, commands.run_again(run, root))


def _after_interruption(run: RunFiles, root: Path) -> Iterator[NextStep]:
    text = (
        "Run again: what is complete comes from the cache, and a training or a search continues "
        "where it was"
    )
    yield NextStep(text, commands.run_again(run, root))


def _after_death(run: RunFiles, root: Path) -> Iterator[NextStep]:
    yield from _after_interruption(run, root)
    yield NextStep("Read the log", commands.read_log(run))


def _while_at_work(run: RunFiles, root: Path) -> Iterator[NextStep]:
    yield NextStep("Write this page again later", commands.report_again(run, root))


_ADVICE: dict[str, Callable[[RunFiles, Path], Iterator[NextStep]]] = {
    "pushed": _after_push,
    "waiting": _after_waiting,
    "withdrawn": _after_withdrawal,
    "stopped by the data gate": _after_stop,
    "not blessed": _after_miss,
    "tuned": _after_search,
    "interrupted": _after_interruption,
    DIED: _after_death,
    "running": _while_at_work,
}
"""All other endings are failures."""
