"""Charts of what the model looks at: importance of columns and partial dependence."""

from __future__ import annotations

from collections.abc import Sequence

from components.model_figures.figures import Dependence, Importance
from pipeline.core.text import counted
from pipeline.report.charts.chart import (
    CLASS_COLOURS,
    NOT_FROM_ZERO,
    Chart,
    Spec,
    colour,
    names,
    plot,
    rows_high,
    tips,
    value_x,
    x,
    y,
)
from pipeline.report.charts.quality import interval_spec
from pipeline.report.words import number, short

_MOST_COLUMNS = 30
_WHOLE = {"format": "d", "tickMinStep": 1}
"""Parts of a time are whole numbers, and years have no separator."""


def importance_chart(importance: Sequence[Importance], loss: str) -> Chart | None:
    """Returns the rise of the loss when a column is shuffled, with intervals."""
    known = [i for i in importance if i.permuted.value is not None][:_MOST_COLUMNS]
    if not known:
        return None
    loss = short(loss, 30)
    title = f"rise of the {loss}"
    return Chart(
        title="Importance of the columns to the whole model, by shuffling",
        reading=f"How much the {loss} rises if the column's values are shuffled among the rows. "
        "A bar that reaches the dashed line at 0 may be chance.",
        summary=f"{counted(len(known), 'column')} by importance. {short(known[0].column)} matters "
        f"most: the {loss} rises by {number(known[0].permuted.value)}.",
        fields={"group": "Column", "x": title.capitalize(), "low": "Low", "high": "High"},
        rows=[
            (short(i.column, 34), i.permuted.value, i.permuted.low, i.permuted.high) for i in known
        ],
        spec=interval_spec(title, len(known)),
        others={"reference": (("x",), ((0,),))},
    )


def dependence_chart(dependence: Dependence, unit: str) -> Chart:
    """Returns the mean prediction over the values of one column.

    Args:
      unit: what the model predicts, for the axis: a probability, or the label.
    """
    is_number = dependence.positions is not None
    places: Sequence[float | str] = (
        dependence.positions
        if dependence.positions is not None
        else [short(value, 30) for value in dependence.values]
    )
    rows = [
        (place, mean, low, high, short(output, 24))
        for output, means in dependence.means.items()
        for place, mean, low, high in zip(
            places, means, dependence.lows[output], dependence.highs[output], strict=False
        )
    ]
    part = dependence.part
    means = [row[1] for row in rows]
    return Chart(
        title="Partial dependence" if part is None else f"Partial dependence on the {part}",
        subject=dependence.column,
        reading=f"The mean prediction if all rows had this {part or 'value'} and kept their other "
        f"{'cells' if part is None else 'parts of the time'}. The band holds eight of ten rows.",
        summary=f"Mean {unit} over {len(places)} values of {short(dependence.column)}: from "
        f"{number(min(means, default=None))} to {number(max(means, default=None))}.",
        fields={
            "x" if is_number else "name": "Value", "y": f"Mean {unit}", "low": "First decile",
            "high": "Ninth decile", "group": "Output",
        },
        rows=rows,
        spec=_line_spec(unit, len(dependence.means), part)
        if is_number
        else _point_spec(unit, len(dependence.means), len(places)),
    )  # fmt: skip


def _line_spec(unit: str, outputs: int, part: str | None) -> Spec:
    place = value_x(None) if part is None else x(part, **NOT_FROM_ZERO, axis=_WHOLE)
    channels = {"x": place, "color": _colours(outputs)}
    band = {
        "mark": {"type": "area", "opacity": 0.14},
        "encoding": {
            **channels,
            "y": y(unit, field="low", scale={"zero": False}),
            "y2": {"field": "high"},
        },
    }
    line = {
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22}},
        "encoding": {
            **channels,
            "y": y(unit, scale={"zero": False}),
            "tooltip": tips(group="Output", x="Value", y="Mean", low="Low", high="High"),
        },
    }
    return plot(180, band, line)


def _point_spec(unit: str, outputs: int, values: int) -> Spec:
    channels = {"y": names(), "color": _colours(outputs)}
    bar = {
        "mark": {"type": "rule", "opacity": 0.35, "strokeWidth": 4},
        "encoding": {
            **channels,
            "x": x(unit, field="low", scale={"zero": False}),
            "x2": {"field": "high"},
        },
    }
    point = {
        "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
        "encoding": {
            **channels,
            "x": x(unit, field="y", scale={"zero": False}),
            "tooltip": tips(group="Output", name="Value", y="Mean", low="Low", high="High"),
        },
    }
    return plot(rows_high(values), bar, point)


def _colours(outputs: int) -> Spec:
    return colour(CLASS_COLOURS if outputs > 1 else ["var(--train)"], legend=outputs > 1)
