"""What the page says of the whole run in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.core.contracts import Node
from pipeline.core.statuses import Status, Tone
from pipeline.core.text import counted
from pipeline.report.content import ComponentRow, QualityPart, Report
from pipeline.report.quality_facts import by_name, difference_words, main_metric
from pipeline.report.words import count, digits_of, duration, fixed, interval, signed

_STOPPED = ("failed", "interrupted")


@dataclass(frozen=True)
class Fact:
    """A number at the top of the page."""

    label: str
    value: str
    detail: str = ""


def tone(report: Report) -> Tone:
    """Returns the class of the verdict's colour."""
    return Status(report.verdict.status).tone


def key_facts(report: Report) -> list[Fact]:
    """Returns the numbers that a reader wants first."""
    facts = []
    figures = report.data.figures
    if figures is not None:
        splits = ", ".join(f"{count(rows)} {split}" for split, rows in figures.rows.items())
        facts.append(Fact("Rows", count(sum(figures.rows.values())), splits))
    facts += _metric_facts(report.quality) if report.quality else []
    stopping = sum(finding.severity == "stop" for finding in report.data.findings)
    if report.data.checked_against is not None:
        total = len(report.data.findings)
        stops = f"{count(stopping)} {'stops' if stopping == 1 else 'stop'} the run"
        detail = "" if not total else stops if stopping else "none stops the run"
        facts.append(Fact("Findings in the data", count(total), detail))
    if report.seconds is not None:
        facts.append(Fact("Time", duration(report.seconds), cached_words(report.components)))
    return facts


def _metric_facts(quality: QualityPart) -> list[Fact]:
    name = main_metric(quality)
    if name is None:
        return []
    row = next((row for row in quality.metrics if row.name == name), None)
    figure = by_name(quality.figures.metrics).get(name) if quality.figures else None
    digits = digits_of(figure.candidate, figure.difference) if figure else None
    bounds = interval(figure.candidate if figure else None, digits)
    value = row.value if row else figure.candidate.value if figure else None
    facts = [Fact(name, fixed(value, digits), f"95 %: {bounds}" if bounds else "")]
    if figure is not None and figure.difference is not None:
        detail = difference_words(figure.difference)
        facts.append(Fact("Against served", signed(figure.difference.value, digits), detail))
    return facts


def cached_words(components: Sequence[ComponentRow]) -> str:
    """Returns how many components the cache saved."""
    cached = sum(component.state == "cached" for component in components)
    return f"{cached} of {counted(len(components), 'component')} from the cache"


def slowest(components: Sequence[ComponentRow]) -> list[ComponentRow]:
    """Returns the eight components that took most of the run's time, the slowest first."""
    timed = [c for c in components if c.seconds is not None and c.state != "cached"]
    return sorted(timed, key=lambda c: -(c.seconds or 0))[:8]


def is_search_alone(report: Report) -> bool:
    """Returns whether the run only searched for hyperparameters, and was to train no model."""
    return not any(component.name == Node.TRAINER for component in report.components)


def absence(report: Report, part: str) -> str:
    """Returns why the page has nothing about a part, such as `the training`."""
    stopped = next((c for c in report.components if c.state in _STOPPED), None)
    if report.verdict.status == Status.STOPPED:
        return f"The data gate stopped the run before {part}."
    if report.verdict.status == Status.RUNNING:
        return f"The run is at work, and has not come to {part} yet."
    if stopped is not None and stopped.state == "failed":
        return f"{stopped.name} failed before {part}."
    if report.verdict.exit_code in (130, None):
        return f"An interruption ended the run before {part}."
    return f"The run ended before {part}."
