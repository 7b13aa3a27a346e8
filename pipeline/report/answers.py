"""The questions that a user has after a bad week, each answered in a sentence at the page's top.

The runner answers what only the workspace knows (`Report.answers`). This module answers the rest
from the report itself. A question without an answer is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from components.model_figures.figures import Estimate, Importance, ModelFigures
from pipeline.core.contracts import Node
from pipeline.core.text import counted
from pipeline.report import data_facts, quality_facts
from pipeline.report.content import Answer, Question, Report
from pipeline.report.words import count, digits_of, duration, fixed

_QUESTIONS: Mapping[Question, str] = {
    "broken": "Which column broke?",
    "since": "Since when?",
    "rows": "Which rows?",
    "compared": "What was compared?",
    "chance": "Is the difference chance?",
    "slice": "Which slice is the worst?",
    "maker": "What made the served model?",
    "back": "How do I go back?",
    "looks": "What does the model look at?",
    "cost": "What does a retraining cost?",
}
_GRAVE = ("stop", "warn")


@dataclass(frozen=True)
class Answered:
    """A line of the page's list."""

    question: str
    answer: Answer


def answer_questions(report: Report) -> list[Answered]:
    """Returns the answers of this run, in the order of the questions; the runner's answers win."""
    given = {answer.question: answer for answer in report.answers}
    found = {key: given.get(key) or _derive(report, key) for key in _QUESTIONS}
    return [Answered(_QUESTIONS[key], answer) for key, answer in found.items() if answer]


def _derive(report: Report, question: Question) -> Answer | None:
    if question not in _ANSWERS:
        return None
    place, describe = _ANSWERS[question]
    text = describe(report)
    return Answer(question, text, place) if text else None


def _describe_broken(report: Report) -> str | None:
    if report.data.checked_against is None:
        return None
    grave = [f for f in report.data.findings if f.severity in _GRAVE]
    if not grave:
        return "No column: the data gate found nothing wrong."
    subject = "" if grave[0].column is None else f"{grave[0].column}: "
    more = f" There is {counted(len(grave) - 1, 'more finding')}." if len(grave) == 2 else ""
    if len(grave) > 2:
        more = f" There are {counted(len(grave) - 1, 'more finding')}."
    return f"{subject}{grave[0].problem.rstrip('.')}.{more}"


def _describe_compared(report: Report) -> str | None:
    against = data_facts.checked_against(report.data)
    figures = report.quality.figures if report.quality else None
    baseline = figures.baseline if figures else None
    parts = [f"the data with {against}"] if against else []
    parts += [f"the model with served version {baseline} on the same rows"] if baseline else []
    return f"The run compared {', and '.join(parts)}." if parts else None


def _describe_chance(report: Report) -> str | None:
    quality = report.quality
    name = quality_facts.main_metric(quality) if quality else None
    if quality is None or quality.figures is None or name is None:
        return None
    metric = quality_facts.by_name(quality.figures.metrics).get(name)
    if metric is None or metric.difference is None or metric.difference.value is None:
        return None
    words = quality_facts.difference_words(metric.difference)
    if not words:
        return None
    digits = digits_of(metric.candidate, metric.difference)
    side = "below" if metric.difference.value < 0 else "above"
    size = fixed(abs(metric.difference.value), digits)
    value = fixed(metric.candidate.value, digits)
    verdict = (
        "chance explains that" if words == quality_facts.CHANCE else "that is more than chance"
    )
    return f"{name} is {value}, which is {size} {side} the served model's; {verdict}."


def _describe_slice(report: Report) -> str | None:
    quality = report.quality
    figures = quality.figures if quality else None
    metric = quality_facts.slice_metric(quality, figures) if quality and figures else None
    if figures is None or metric is None:
        return None
    worst = next((s for s in figures.slices if s.metrics.get(metric)), None)
    whole = quality_facts.by_name(figures.metrics).get(metric)
    if worst is None or whole is None or worst.metrics[metric].value is None:
        return None
    found, digits = worst.metrics[metric], digits_of(whole.candidate, whole.difference)
    may_be = " The slice's interval holds that value: it may be chance."
    return (
        f"{worst.name} ({counted(worst.examples, 'row')}): {metric} is "
        f"{fixed(found.value, digits)}, against {fixed(whole.candidate.value, digits)} of all rows."
        f"{may_be if _holds(found, whole.candidate.value) else ''}"
    )


def _holds(estimate: Estimate, value: float | None) -> bool:
    if value is None or estimate.low is None or estimate.high is None:
        return False
    return estimate.low <= value <= estimate.high


def _describe_maker(report: Report) -> str | None:
    if report.verdict.status == "pushed":
        cached = report.training.cached_from if report.training else None
        trained = f"run {cached} trained it, and this run served it" if cached else "this run"
        files = counted(len(report.lineage.data_files), "data file")
        return f"{trained[0].upper()}{trained[1:]}, from {files}."
    if report.served is None:
        return None
    return f"Run {report.served.run} made served version {report.served.version}."


def _describe_back(report: Report) -> str | None:
    commands = [step.command for step in report.verdict.next_steps if step.command]
    found = next((c for c in commands if " pipeline rollback" in c), None)
    return f"Run `{found}`." if found else None


def _describe_looks(report: Report) -> str | None:
    figures = report.quality.figures if report.quality else None
    if figures is not None and figures.importance:
        return f"{_list_columns(figures)}."
    if report.served is None or not report.served.figures.importance:
        return None
    return f"The served model: {_list_columns(report.served.figures)}."


def _list_columns(figures: ModelFigures) -> str:
    found = [i for i in figures.importance[:3] if _matters(i)]
    if not found:
        return (
            "no column clearly: if a column's values are shuffled among the rows, "
            f"the {figures.loss} rises no more than by chance"
        )
    first, *others = found
    rise = fixed(first.permuted.value, digits_of(first.permuted))
    then = f"; then {' and '.join(i.column for i in others)}" if others else ""
    return (
        f"{first.column} most: if its values are shuffled among the rows, the {figures.loss} rises "
        f"by {rise}{then}"
    )


def _matters(importance: Importance) -> bool:
    return importance.permuted.low is None or importance.permuted.low > 0


def _describe_cost(report: Report) -> str | None:
    trainer = next((c for c in report.components if c.name == Node.TRAINER), None)
    if trainer is None or trainer.state != "complete" or trainer.seconds is None:
        return None
    rows = report.data.figures.rows.get("train") if report.data.figures else None
    on = f" on {count(rows)} rows" if rows else ""
    whole = f" of this run's {duration(report.seconds)}" if report.seconds is not None else ""
    return f"The training took {duration(trainer.seconds)}{on},{whole}.".replace(",.", ".")


_ANSWERS: Mapping[Question, tuple[str, Callable[[Report], str | None]]] = {
    "broken": ("data", _describe_broken),
    "compared": ("data", _describe_compared),
    "chance": ("quality", _describe_chance),
    "slice": ("quality", _describe_slice),
    "maker": ("lineage", _describe_maker),
    "back": ("verdict", _describe_back),
    "looks": ("model", _describe_looks),
    "cost": ("dag", _describe_cost),
}
"""For each question: the part that tells more, and the function that answers."""
