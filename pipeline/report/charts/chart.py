"""A chart of the page: its words, its data, and a Vega-Lite specification without data.

The specification never holds a name or a cell of the user's data: fields have fixed names such as
`x` and `group`, and scales take their domains from the data. Thus no name is ever an expression,
and charts of the same kind share one specification in the page. Colours are written as CSS
variables, `var(--train)`; the page's script replaces them, so that charts follow the theme.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Spec = dict[str, Any]
Cell = str | float | None
Rows = Sequence[Sequence[Cell]]

SAMPLE_COLOURS = {
    "train": "var(--train)",
    "eval": "var(--eval)",
    "test": "var(--test)",
    "served": "var(--served)",
}
"""The same colour for a sample in each chart."""
MODEL_COLOURS = {"this model": "var(--train)", "served model": "var(--served)"}
CLASS_COLOURS = tuple(f"var(--class-{number})" for number in range(1, 11))
"""For classes: no colour of a sample or a model, which would say something else."""
CLASS_DASHES = (*[(1, 0)] * 4, *[(6, 3)] * 3, *[(2, 2)] * 3)
"""Ten colours cannot all differ for the colour-blind: lines of like colours differ in dashes."""

LABEL_WIDTH = "a third"
"""The width of names beside an axis, of the chart's: the page's script replaces it."""
LABEL_ABOVE = "above on phones"
"""The same, but a narrow chart shows each name in a line of its own, above the row's marks."""


@dataclass(frozen=True)
class Chart:
    """One chart."""

    title: str
    reading: str
    """How to read the chart, in one sentence."""
    summary: str
    """What the chart shows, in one sentence, for people who do not see it."""
    fields: Mapping[str, str]
    """The headings of the data's table by field."""
    rows: Rows
    """The data: a cell for each field."""
    spec: Spec
    subject: str | None = None
    """The column that the chart is about; the page shows the name beside the title."""
    others: Mapping[str, tuple[Sequence[str], Rows]] = field(default_factory=dict)
    """More data sets of the specification by name: fields and rows."""


def x(title: str, **options: Any) -> Spec:
    """Returns the channel of a number along the x axis."""
    return _number("x", title, **options)


def value_x(milliseconds: int | None, **options: Any) -> Spec:
    """Returns the channel of a column's values along the x axis.

    Args:
      milliseconds: of a unit of the values, if the values are points in time since 1970.
    """
    if milliseconds is None:
        return x("value", scale={"zero": False}, **options)
    form = f"utcFormat(datum.value * {milliseconds}, '%b %d, %Y')"
    axis = {"labelExpr": form, "tickCount": 4}
    return x("date (UTC)", scale={"zero": False}, axis=axis, **options)


def y(title: str, **options: Any) -> Spec:
    """Returns the channel of a number along the y axis."""
    return _number("y", title, **options)


def _number(name: str, title: str, **options: Any) -> Spec:
    return {"field": name, "type": "quantitative", "title": title, **options}


def names(field: str = "name", title: str | None = None, **axis: Any) -> Spec:
    """Returns the channel of names along an axis, in the order of the data."""
    axis = {"labelLimit": LABEL_WIDTH, "ticks": False, "domain": False, "labelPadding": 6, **axis}
    return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": axis}


def colour(range_: Iterable[str], legend: bool = True) -> Spec:
    """Returns the channel of the group's colour; the groups stand in the order of the data."""
    channel: Spec = {"field": "group", "type": "nominal", "sort": None, "title": None}
    channel["scale"] = {"range": list(range_)}
    if not legend:
        channel["legend"] = None
    return channel


def dashes(patterns: Iterable[Sequence[int]]) -> Spec:
    """Returns the channel of the group's dashes. It shares the legend of `colour`."""
    scale = {"range": [list(pattern) for pattern in patterns]}
    return {"field": "group", "type": "nominal", "sort": None, "title": None, "scale": scale}


def tips(**titles: str) -> list[Spec]:
    """Returns the rows of a tooltip: a title for each field."""
    return [
        {"field": name, "title": title, "type": "nominal", **_tip_format(name)}
        for name, title in titles.items()
    ]


def _tip_format(name: str) -> Spec:
    is_number = name in ("x", "x2", "y", "low", "high", "value", "size")
    return {"type": "quantitative", "format": ",.4~r"} if is_number else {}


SHARE_AXIS = {"axis": {"labelExpr": "format(datum.value * 100, ',~r') + ' %'"}}
"""Percent with a space, as in all texts of the page."""
ZERO_TO_ONE = {"scale": {"domain": [0, 1]}}
"""For rates and probabilities."""
NOT_FROM_ZERO = {"scale": {"zero": False}}


def rows_high(rows: int, pixels: int = 22) -> int:
    """Returns the height of a chart with names below each other.

    Vega-Lite's own way, a height in steps, warns about charts as wide as their place.
    """
    return pixels * max(rows, 1)


def plot(height: int, *layers: Spec, **parts: Any) -> Spec:
    """Returns a specification as wide as its place in the page."""
    spec: Spec = {"width": "container", "height": height, **parts}
    return {**spec, **layers[0]} if len(layers) == 1 else {**spec, "layer": list(layers)}


def overlaid_bars(across: str, up: str, axis: Spec) -> Spec:
    """Returns histograms over each other, one for each class."""
    return plot(
        260,
        {
            "mark": {"type": "bar", "opacity": 0.5, "orient": "vertical"},
            "encoding": {
                "x": x(across),
                "x2": {"field": "x2"},
                "y": y(up, stack=None, axis=axis),
                "y2": {"datum": 0},
                "color": colour(CLASS_COLOURS),
                "tooltip": tips(group="Class", x="From", x2="To", y=up.capitalize()),
            },
        },
    )


def only(name: str, value: Any) -> Spec:
    """Returns the part of a layer that keeps the rows where a field has a fixed value."""
    return {"transform": [{"filter": {"field": name, "equal": value}}]}


DIAGONAL: Spec = {
    "data": {"values": [{"x": 0, "y": 0}, {"x": 1, "y": 1}]},
    "mark": {"type": "line", "color": "var(--muted)", "strokeDash": [2, 3], "strokeWidth": 1},
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "quantitative"},
    },
}
