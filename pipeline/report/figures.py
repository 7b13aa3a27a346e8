"""The charts of a page as JSON that is inert inside a <script> element."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from pipeline.core.text import printable
from pipeline.report.charts.chart import Chart, Rows

_ESCAPED = str.maketrans({c: f"\\u{ord(c):04x}" for c in "<>&'\u2028\u2029"})


@dataclass(frozen=True)
class Figure:
    """A chart with its place in the page."""

    number: int
    chart: Chart
    data: Markup
    """JSON: the number of the specification, fields, headings and rows."""


class Figures:
    """Numbers the charts of one page. Charts of the same kind share a specification."""

    def __init__(self) -> None:
        self._specs: dict[str, int] = {}
        self._figures = 0

    def add(self, chart: Chart) -> Figure:
        """Returns the chart as a figure of this page."""
        spec = self._specs.setdefault(_dump(chart.spec), len(self._specs))
        self._figures += 1
        content: dict[str, Any] = {
            "spec": spec,
            "fields": list(chart.fields),
            "headings": [printable(heading) for heading in chart.fields.values()],
            "rows": _rows(chart.rows),
        }
        if chart.others:
            content["others"] = {
                name: {"fields": list(fields), "rows": _rows(rows)}
                for name, (fields, rows) in chart.others.items()
            }
        return Figure(self._figures, chart, inert_json(content))

    @property
    def specs(self) -> Markup:
        """All specifications so far, as a JSON list."""
        return Markup(f"[{','.join(map(_escape, self._specs))}]")


def inert_json(content: Any) -> Markup:
    """Returns JSON that cannot end the <script> element around it."""
    return Markup(_escape(_dump(content)))


def _dump(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _escape(text: str) -> str:
    return text.translate(_ESCAPED)


def _rows(rows: Rows) -> list[list[Any]]:
    return [[_cell(value) for value in row] for row in rows]


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if not isinstance(value, float):
        return value
    # Six digits are more than a chart shows, and a third of the bytes.
    return float(f"{value:.6g}") if math.isfinite(value) else None
