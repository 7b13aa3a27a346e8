"""Markdown for Kubeflow's pages: the gate's findings, the evaluation, and the serving check."""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from components.findings.findings import Findings
from components.serving_check.blessing import describe_limit, describe_value
from pipeline.core.events import ExportResult, ServingCheckResult
from pipeline.core.text import printable
from pipeline.runners.kubeflow.run_overrides import advise_run_parameters

_NOT_COMPARED = (
    "Not compared with a served model: there is none, or no threshold has may_worsen_by."
)


def describe_findings(findings: Findings) -> str:
    """Returns the findings of the anomaly gate as Markdown."""
    lines = [f"# Data compared with {_escape(findings.checked_against)}", ""]
    if not findings.findings:
        return "\n".join([*lines, "Nothing is wrong.", ""])
    rows = [
        (f.severity, f.column or "", f.problem, f.expected, ", ".join([f.found, *f.examples]))
        for f in findings.findings
    ]
    lines += _format_table(("", "feature", "what is wrong", "expected", "found"), rows)
    lines += ["", "To accept a finding that is correct as it is:", ""]
    accepted: dict[str, list[str]] = {}
    for finding in findings.findings:
        accepted.setdefault(finding.accept, []).append(finding.column or finding.problem)
    for how, subjects in accepted.items():
        lines.append(f"- {_escape(', '.join(subjects))}: {_escape_around_code(how)}")
    return "\n".join([*lines, ""])


def describe_evaluation(
    metrics: Mapping[str, Mapping[str, float]],
    served: Mapping[str, float],
    bounds: Mapping[str, str],
    missed: Sequence[str],
    note: str,
) -> str:
    """Returns the verdict, the metrics and the slices as Markdown.

    Args:
      metrics: the candidate's metrics by slice; the empty name is the whole split.
      served: the served model's metrics on the whole split; empty without a served model.
      bounds: the threshold of each metric, in words.
      missed: one sentence for each threshold that the candidate missed.
      note: why there is no comparison with a served model, if the reason is unusual.
    """
    verdict = "Not blessed" if missed else "Blessed"
    lines = [f"# {verdict}", "", *(f"- {_escape(sentence)}" for sentence in missed)]
    if note or not served:
        lines += ["", _escape(note or _NOT_COMPARED)]
    overall = metrics.get("", {})
    rows = [
        (n, _format_number(v), _format_number(served.get(n)), bounds.get(n, ""))
        for n, v in overall.items()
    ]
    lines += ["", *_format_table(("metric", "value", "served", "threshold"), rows)]
    slices = [
        (name, *(_format_number(values.get(metric)) for metric in overall))
        for name, values in sorted(metrics.items())
        if name
    ]
    if slices:
        lines += ["", "## Slices", "", *_format_table(("slice", *overall), slices)]
    return "\n".join([*lines, ""])


def describe_serving_check(result: ServingCheckResult | None) -> str:
    """Returns the verdict, the measurements and the requests as Markdown; None means no check."""
    if result is None:
        return "# Not checked\n\nThe model is not blessed.\n"
    verdict = "Can be served" if result.passed else "The serving check failed"
    lines = [f"# {verdict}", "", *(f"- {_escape(sentence)}" for sentence in result.problems)]
    rows = [(m.name, describe_value(m), describe_limit(m)) for m in result.measurements]
    lines += ["", *_format_table(("measured", "value", "allowed"), rows)]
    asked = [(r.name, r.signature, f"{r.rows:,}", r.outcome) for r in result.requests]
    lines += ["", "## Requests", ""]
    lines += _format_table(("request", "signature", "rows", "outcome"), asked)
    return "\n".join([*lines, ""])


def describe_exports(exports: Sequence[ExportResult]) -> str:
    """Returns the exports, and the models that they are compared with, as Markdown."""
    names = list(dict.fromkeys(name for export in exports for name in export.metrics))
    head = ("", "verdict", "bytes", "after gzip", "ms, 1 row", "ms, 1024 rows", "difference")
    rows = [
        (
            export.name,
            {True: "passed", False: "failed", None: ""}[export.passed],
            *("" if size is None else f"{size:,}" for size in (export.bytes, export.gzip_bytes)),
            *(_format_number(export.milliseconds.get(size)) for size in ("1", "1024")),
            _format_number(export.max_difference),
            *(_format_number(export.metrics.get(name)) for name in names),
        )
        for export in exports
    ]
    failed = [
        f"- {_escape(f'{export.name}: {reason}')}"
        for export in exports
        for reason in export.reasons
    ]
    table = _format_table((*head, *names), rows)
    return "\n".join(["# Exports", "", *table, "", *failed, ""])


def to_plain_text(markdown: str) -> str:
    """Returns the text of this module's Markdown as a person reads it in a log."""
    return re.sub(r"\\([\\`*_\[\]~|/.])", r"\1", html.unescape(markdown))


def _format_number(value: float | None) -> str:
    if value is None:
        return ""
    return "undefined" if math.isnan(value) else f"{value:,.4g}"


def _format_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(_escape(cell) for cell in line) + " |" for line in lines]


def _escape_around_code(advice: str) -> str:
    """Returns advice with its commands in backquotes as they are, for a person to copy."""
    parts = advise_run_parameters(advice).split("`")
    if len(parts) % 2 == 0:  # A name with a backquote: no command can be told from the rest.
        return _escape(advice)
    return "`".join(_escape_html(p) if i % 2 else _escape(p) for i, p in enumerate(parts))


def _escape(text: str) -> str:
    """Returns the text without Markdown, HTML or links: names and cells of the data are text."""
    marked = re.sub(r"[\\`*_\[\]~]", r"\\\g<0>", printable(text))
    # A bare address would become a link.
    return _escape_html(marked.replace("://", ":\\//").replace("www.", "www\\."))


def _escape_html(text: str) -> str:
    return html.escape(printable(text), quote=False).replace("|", "\\|")
