"""The verdict: how the run ended, and the sentences that decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.events import Finding
from pipeline.core.statuses import Status
from pipeline.core.text import counted
from pipeline.report.content import ComponentRow, QualityPart, Verdict
from pipeline.report.words import moment
from pipeline.runners.reporting.parts.next_steps import Place, advise
from pipeline.runners.reporting.reading.run_files import RunFiles


@dataclass(frozen=True)
class _Ending:
    """What the verdict is made of."""

    run: RunFiles
    components: tuple[ComponentRow, ...]
    quality: QualityPart | None


_Describe = Callable[[_Ending], Iterator[str]]
"""Yields the headline first, then the reasons."""


def describe_verdict(
    run: RunFiles,
    place: Place,
    components: tuple[ComponentRow, ...],
    quality: QualityPart | None,
) -> Verdict:
    """Returns the verdict of a run that has ended, has died, or is at work."""
    status = run.summary.status
    describe = _DESCRIPTIONS.get(status, _describe_failure)
    headline, *reasons = describe(_Ending(run, components, quality))
    if run.damage:
        reasons.append(f"{run.damage}. The events of the run say the rest.")
    return Verdict(
        status=status,
        exit_code=run.summary.exit_code,
        headline=headline,
        reasons=tuple(reasons),
        next_steps=tuple(advise(run, place)),
        warnings=tuple(f"{sentence}." for sentence in run.summary.warnings),
    )


def stopping_findings(run: RunFiles) -> list[Finding]:
    """Returns the findings for which the data gate stopped the run."""
    checked = run.summary.findings if run.summary.status == Status.STOPPED else None
    return [f for f in checked.findings if f.severity == "stop"] if checked else []


# A page is read long after it was written. So the sentences tell what was true at the run's end.


def _describe_pushed(ending: _Ending) -> Iterator[str]:
    version = Path(ending.run.summary.pushed or "").name
    note = ending.run.summary.push_note
    if note:
        yield f"Nothing was pushed: {note}."
    elif ending.run.summary.is_unchanged:
        yield f"Nothing changed: the model was served already, as version {version}."
    else:
        pushed = f"was pushed: version {version} was served from then on"
        yield f"The model met every threshold and {pushed}."
    yield from _describe_checks(ending.quality)


def _describe_checks(quality: QualityPart | None) -> Iterator[str]:
    """Yields a sentence for each bound on the whole split."""
    for row in quality.metrics if quality else ():
        yield from (f"{check.sentence}." for check in row.checks)


def _describe_waiting(ending: _Ending) -> Iterator[str]:
    number = Path(ending.run.summary.waiting or "").name
    yield f"The model met every threshold, and waited as {number} for a person to promote it."
    yield from _describe_checks(ending.quality)


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


def _describe_failed_check(ending: _Ending) -> Iterator[str]:
    check = ending.run.summary.serving_check
    problems = check.problems if check else ()
    number = counted(len(problems), "problem")
    yield f"The serving check found {number}, so the model was not pushed."
    yield from (f"{sentence}." for sentence in problems)


def _describe_stop(ending: _Ending) -> Iterator[str]:
    findings = stopping_findings(ending.run)
    number = counted(len(findings), "finding")
    yield f"The data gate stopped the run before the training because of {number}."
    for finding in findings:
        column = f"{finding.column}: " if finding.column else ""
        expected = f"expected {finding.expected}, found {finding.found}"
        since = f"; since {finding.since}" if finding.since else ""
        yield f"{column}{finding.problem}; {expected}{since}."


def _describe_search(ending: _Ending) -> Iterator[str]:
    results = ending.run.summary.tuning
    if results is None:
        yield "The search ended."
        return
    best = next((t for t in results.trials if t.trial == results.best), None)
    objective = best.objective if best else None
    value = "" if objective is None else f", {results.objective} {objective:.4g}"
    yield f"The search ended: trial {results.best} is the best{value}."
    yield from (f"{key} = {value}" for key, value in results.best_values.items())


def _describe_failure(ending: _Ending) -> Iterator[str]:
    component, error = ending.run.summary.component, ending.run.summary.error
    yield f"{component} failed." if component else "The run failed."
    if error:
        yield error.message
    yield from _describe_earlier_push(ending)


def _describe_refusal(ending: _Ending) -> Iterator[str]:
    component, error = ending.run.summary.component, ending.run.summary.error
    yield f"{component} refused the data." if component else "The data was refused."
    if error:
        yield error.message
    yield from _describe_earlier_push(ending)


def _describe_earlier_push(ending: _Ending) -> Iterator[str]:
    """Tells that the run had pushed before it ended early."""
    if ending.run.summary.pushed:
        version = Path(ending.run.summary.pushed).name
        yield f"The model was pushed before: version {version} is complete."


def _describe_damage(ending: _Ending) -> Iterator[str]:
    yield "Nobody can tell how the run ended: the file with its outcome is damaged."


def _describe_interruption(ending: _Ending) -> Iterator[str]:
    component = ending.run.summary.component
    where = f" during {component}" if component else ""
    yield f"A person or the system interrupted the run{where}."


def _describe_death(ending: _Ending) -> Iterator[str]:
    component = ending.run.summary.component
    where = f" during {component}" if component else ""
    yield f"The run was killed{where}, and could not say why."
    yield "The machine may have run out of memory, or may have been switched off."
    yield from _describe_earlier_push(ending)


def _describe_work(ending: _Ending) -> Iterator[str]:
    done = sum(component.state in ("complete", "cached") for component in ending.components)
    of_all = f"{done} of {counted(len(ending.components), 'component')} done"
    begun = f"at work since {moment(ending.run.began)}"
    yield f"The run was {begun} when this page was written: {of_all}."
    if component := ending.run.summary.component:
        yield f"{component} was running."


_DESCRIPTIONS: dict[Status, _Describe] = {
    Status.PUSHED: _describe_pushed,
    Status.WAITING: _describe_waiting,
    Status.WITHDRAWN: _describe_withdrawn,
    Status.NOT_BLESSED: _describe_unblessed,
    Status.CHECK_FAILED: _describe_failed_check,
    Status.STOPPED: _describe_stop,
    Status.REFUSED: _describe_refusal,
    Status.TUNED: _describe_search,
    Status.INTERRUPTED: _describe_interruption,
    Status.DIED: _describe_death,
    Status.RUNNING: _describe_work,
    Status.DAMAGED: _describe_damage,
}
"""All other endings are failures."""
