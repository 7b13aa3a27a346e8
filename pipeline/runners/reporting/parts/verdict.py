"""The verdict: how the run ended, and the sentences that decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.contracts import Node
from pipeline.core.events import DagFailure, Finding
from pipeline.core.text import counted
from pipeline.report.content import ComponentRow, MetricRow, QualityPart, Verdict
from pipeline.runners.reporting.parts.next_steps import advise
from pipeline.runners.reporting.reading.run_files import DIED, RunFiles

_STOPPED = "stopped by the data gate"


@dataclass(frozen=True)
class _Ending:
    """What the verdict is made of."""

    run: RunFiles
    components: tuple[ComponentRow, ...]
    quality: QualityPart | None

    def last_component(self) -> str | None:
        """Returns the component in which the run ended early, or which is at work."""
        states = ("failed", "interrupted", "running")
        return next((c.name for c in self.components if c.state in states), None)


_Describe = Callable[[_Ending], Iterator[str]]
"""Yields the headline first, then the reasons."""


def describe_verdict(
    run: RunFiles, root: Path, components: tuple[ComponentRow, ...], quality: QualityPart | None
) -> Verdict:
    """Returns the verdict of a run that has ended, has died, or is at work.

    Args:
      root: the output directory.
    """
    status = run.summary.status
    describe: _Describe = _describe_failure
    # A table that cannot be read ends a run with the same exit code, without any finding.
    if status != _STOPPED or stopping_findings(run):
        describe = _DESCRIPTIONS.get(status, _describe_failure)
    headline, *reasons = describe(_Ending(run, components, quality))
    return Verdict(
        status=status,
        exit_code=run.summary.exit_code,
        headline=headline,
        reasons=tuple(reasons),
        next_steps=tuple(advise(run, root)),
    )


def stopping_findings(run: RunFiles) -> list[Finding]:
    """Returns the findings for which the data gate stopped the run."""
    error, checked = run.summary.error, run.summary.findings
    is_gate = isinstance(error, DagFailure) and error.component == Node.ANOMALY_GATE
    return [f for f in checked.findings if f.severity == "stop"] if is_gate and checked else []


def _describe_pushed(ending: _Ending) -> Iterator[str]:
    version = Path(ending.run.summary.pushed or "").name
    if any(c.name == Node.PUSHER and c.state == "cached" for c in ending.components):
        yield f"Nothing changed: the model is served already, as version {version}."
    else:
        yield f"The model met every threshold and was pushed: version {version} is served now."
    metrics = ending.quality.metrics if ending.quality else ()
    yield from (_describe_metric(row) for row in metrics if row.bound)


def _describe_metric(row: MetricRow) -> str:
    value = "undefined" if row.value is None else f"{row.value:.4g}"
    served = "" if row.served is None else f"; the served model has {row.served:.4g}"
    return f"{row.name} is {value}, allowed: {row.bound}{served}."


def _describe_waiting(ending: _Ending) -> Iterator[str]:
    number = Path(ending.run.summary.waiting or "").name
    yield f"The model met every threshold and waits as {number} until a person promotes it."
    metrics = ending.quality.metrics if ending.quality else ()
    yield from (_describe_metric(row) for row in metrics if row.bound)


def _describe_withdrawn(ending: _Ending) -> Iterator[str]:
    yield "The model met every threshold, but was not pushed: it was withdrawn earlier."
    withdrawn, error = ending.run.summary.withdrawn, ending.run.summary.error
    # On Kubeflow, the Pusher's task fails with the sentence.
    sentence = withdrawn.why if withdrawn else error.message if error else ""
    if sentence:
        yield f"{sentence[0].upper()}{sentence[1:]}."


def _describe_unblessed(ending: _Ending) -> Iterator[str]:
    missed = ending.run.summary.missed
    yield f"The model missed {counted(len(missed), 'threshold')}, so it was not pushed."
    yield from (f"{sentence}." for sentence in missed)


def _describe_stop(ending: _Ending) -> Iterator[str]:
    findings = stopping_findings(ending.run)
    number = counted(len(findings), "finding")
    yield f"The data gate stopped the run before the training because of {number}."
    for finding in findings:
        column = f"{finding.column}: " if finding.column else ""
        expected = f"expected {finding.expected}, found {finding.found}"
        yield f"{column}{finding.problem}; {expected}."


def _describe_search(ending: _Ending) -> Iterator[str]:
    results = ending.run.summary.tuning
    if results is None:
        yield "The search ended."
        return
    best = next((t for t in results.trials if t.trial == results.best), None)
    value = f", {results.objective} {best.objective:.4g}" if best and best.objective else ""
    yield f"The search ended: trial {results.best} is the best{value}."
    yield from (f"{key} = {value}" for key, value in results.best_values.items())


def _describe_failure(ending: _Ending) -> Iterator[str]:
    component, error = ending.last_component(), ending.run.summary.error
    yield f"{component} failed." if component else "The run failed."
    if error:
        yield error.message


def _describe_interruption(ending: _Ending) -> Iterator[str]:
    component = ending.last_component()
    where = f" during {component}" if component else ""
    yield f"A person or the system interrupted the run{where}."


def _describe_death(ending: _Ending) -> Iterator[str]:
    component = ending.last_component()
    where = f" during {component}" if component else ""
    yield f"The run was killed{where}, and could not say why."
    yield "The machine may have run out of memory, or may have been switched off."
    if ending.run.summary.pushed:
        version = Path(ending.run.summary.pushed).name
        yield f"The model was pushed before: version {version} is complete."


def _describe_work(ending: _Ending) -> Iterator[str]:
    component = ending.last_component()
    yield f"The run is at work: {component}." if component else "The run starts."


_DESCRIPTIONS: dict[str, _Describe] = {
    "pushed": _describe_pushed,
    "waiting": _describe_waiting,
    "withdrawn": _describe_withdrawn,
    "not blessed": _describe_unblessed,
    _STOPPED: _describe_stop,
    "tuned": _describe_search,
    "interrupted": _describe_interruption,
    DIED: _describe_death,
    "running": _describe_work,
}
"""By status. All other endings are failures."""
