"""Compiles a chart with Vega-Lite itself, and checks what holds for every chart."""

from __future__ import annotations

import json
import re
from typing import Any

import vl_convert

from pipeline.report.charts.chart import Chart


def compile_chart(chart: Chart) -> dict[str, Any]:
    """Returns the chart as Vega; fails if rows, fields, words or names are not as they must be."""
    assert all(len(row) == len(chart.fields) for row in chart.rows)
    assert chart.rows
    assert chart.reading.endswith(".")
    assert chart.summary.endswith(".")
    spec = json.loads(json.dumps(chart.spec))
    assert used_fields(spec) <= {*chart.fields, "side", "edge", "x", "y", "text", "name"}
    for name, (fields, rows) in chart.others.items():
        assert f'"name": "{name}"' in json.dumps(spec)
        assert all(len(row) == len(fields) for row in rows)
    data = {"values": [dict(zip(chart.fields, row)) for row in chart.rows]}
    others = {
        name: [dict(zip(fields, row)) for row in rows]
        for name, (fields, rows) in chart.others.items()
    }
    # A number in place of the words that the page's script replaces.
    words = re.compile('"(?:a third|above on phones)"')
    spec = json.loads(words.sub("100", json.dumps(spec)))
    vega: dict[str, Any] = vl_convert.vegalite_to_vega({"data": data, "datasets": others, **spec})
    assert vega["marks"]
    # Colours and dashes of the same lines are explained once.
    assert len(vega.get("legends", ())) <= 1
    return vega


def used_fields(spec: Any) -> set[str]:
    """Returns all values of `field` in a specification."""
    if isinstance(spec, list):
        return set().union(*map(used_fields, spec))
    if not isinstance(spec, dict):
        return set()
    own = {spec["field"]} if isinstance(spec.get("field"), str) else set()
    return own.union(*map(used_fields, spec.values()))


def texts_of(spec: Any) -> str:
    """Returns the specification as text, to look for names of the user's data in it."""
    return json.dumps(spec, ensure_ascii=False)
