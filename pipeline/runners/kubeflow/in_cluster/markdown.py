"""What the gate and the Evaluator found, as Markdown that Kubeflow's pages show."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence

from components.anomaly_gate.findings import Findings
from pipeline.core.text import printable
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters

_NOT_COMPARED = (
    "Not compared with a served model: there is none, or no threshold has may_worsen_by."
)


def describe_findings(findings: Findings) -> str:
    """What the gate goes by, as Markdown."""
    lines = [f"# Data held against {_cell(findings.checked_against)}", ""]
    if not findings.findings:
        return "\n".join([*lines, "Nothing is wrong.", ""])
    rows = [
        (f.severity, f.column or "", f.problem, f.expected, ", ".join([f.found, *f.examples]))
        for f in findings.findings
    ]
    lines += _table(("", "feature", "what is wrong", "expected", "found"), rows)
    lines += ["", "To accept what is right as it is:", ""]
    accepted: dict[str, list[str]] = {}
    for finding in findings.findings:
        accepted.setdefault(finding.accept, []).append(finding.column or finding.problem)
    for how, subjects in accepted.items():
        lines.append(f"- {_cell(', '.join(subjects))}: {_cell(advise_run_parameters(how))}")
    return "\n".join([*lines, ""])


def describe_evaluation(
    metrics: Mapping[str, Mapping[str, float]],
    served: Mapping[str, float],
    bounds: Mapping[str, str],
    missed: Sequence[str],
    note: str,
) -> str:
    """The verdict, the metrics beside the served model's, and the slices, as Markdown.

    `bounds` are what each metric was held to, and `missed` the sentences of those that failed.
    `note` says why there is no served model beside them, where it is no matter of course.
    """
    verdict = "Not blessed" if missed else "Blessed"
    lines = [f"# {verdict}", "", *(f"- {_cell(sentence)}" for sentence in missed)]
    if note or not served:
        lines += ["", _cell(note or _NOT_COMPARED)]
    overall = metrics.get("", {})
    rows = [(n, _number(v), _number(served.get(n)), bounds.get(n, "")) for n, v in overall.items()]
    lines += ["", *_table(("metric", "value", "served", "threshold"), rows)]
    slices = [
        (name, *(_number(values.get(metric)) for metric in overall))
        for name, values in sorted(metrics.items())
        if name
    ]
    if slices:
        lines += ["", "## Slices", "", *_table(("slice", *overall), slices)]
    return "\n".join([*lines, ""])


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return "undefined" if math.isnan(value) else f"{value:,.4g}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines]


def _cell(text: str) -> str:
    """Text from a table, which may look like a part of a page."""
    return html.escape(printable(text), quote=False).replace("|", "\\|")
