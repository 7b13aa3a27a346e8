"""Charts of the fit, by epoch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.report.charts.chart import Chart, Spec, colour, plot, tips, x, y
from pipeline.report.content import BlendPart, Epoch, TrainingPart
from pipeline.report.words import number, short

_NOT_METRICS = {
    "learning_rate": "learning rate",
    "examples_per_second": "examples a second",
    "seconds": "",
}
"""Measures of an epoch with a chart of their own, by its title; empty for none."""
_EVAL = "eval_"
_LOSS = "loss"
_MOST_TICKS = 8
_MOST_SHOWN = 400
"""Epochs up to which a curve has a value for each one: trees may have thousands of iterations."""
_MOST_POINTS = 60
"""Epochs up to which each one has a point: more points would hide the line."""

Curve = TrainingPart | BlendPart
Row = tuple[int, float | None, str]
"""The epoch, the value and the split."""


def fit_charts(training: TrainingPart) -> Iterator[Chart]:
    """Yields the loss, each metric, the learning rate and the speed of the fit, by epoch."""
    for title, groups in _curves(training.epochs):
        if rows := _rows(training, groups):
            yield _curve_chart(title, rows, training)


def part_chart(part: BlendPart) -> Chart:
    """Returns the loss of one part of a blend."""
    rows = _rows(part, {"train": "loss", "eval": "eval_loss"})
    return _curve_chart(f"{_LOSS} of {part.name}", rows, part)


def _rows(curve: Curve, groups: Mapping[str, str]) -> list[Row]:
    """Returns epoch, value and group of the finite values; `groups` are measures by group."""
    return [
        (epoch.number, epoch.values.get(key), group)
        for group, key in groups.items()
        for epoch in _thin(curve.epochs, curve.best_epoch)
        if _is_finite(epoch.values.get(key))
    ]


def _thin(epochs: Sequence[Epoch], best: int | None) -> list[Epoch]:
    """Returns every n-th epoch, and the first, the best and the last one."""
    step = -(-len(epochs) // _MOST_SHOWN)
    kept = {1, best, len(epochs)}
    return [e for e in epochs if e.number % max(step, 1) == 0 or e.number in kept]


def _curves(epochs: Sequence[Epoch]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields the title of each chart, and the measure of each of its lines by the line's name."""
    measures = dict.fromkeys(name for epoch in epochs for name in epoch.values)
    for name in measures:
        base = name.removeprefix(_EVAL)
        if name not in _NOT_METRICS and (name == base or base not in measures):
            yield base, {"train": base, "eval": _EVAL + base}
    for name, title in _NOT_METRICS.items():
        if name in measures and title:
            yield title, {title: name}


def _curve_chart(title: str, rows: Sequence[Row], training: Curve) -> Chart:
    best, epochs = training.best_epoch, len(training.epochs)
    kept = "" if best is None else f" The dashed line marks {training.unit} {best}, which is kept."
    groups = {row[2] for row in rows}
    return Chart(
        title=title,
        reading=_how_to_read(title) + kept,
        summary=_summary(title, rows, f"{epochs} {training.unit}s"),
        fields={"x": training.unit.capitalize(), "y": title, "group": "Split"},
        rows=rows,
        spec=_curve_spec(title, len(groups) > 1, training),
        others={} if best is None else {"kept": (("x",), ((best,),))},
    )


def _how_to_read(title: str) -> str:
    if title == "learning rate":
        return "The step size of the optimizer at the end of each epoch."
    if title == "examples a second":
        return "How many rows the training read in a second, over all workers."
    if title.startswith(_LOSS):
        return "Lower is better. If eval rises while train falls, the model memorizes its rows."
    return "The metric on the rows of the training and on the held-out split eval."


def _summary(title: str, rows: Sequence[Sequence[Any]], extent: str) -> str:
    parts = []
    for group in dict.fromkeys(row[2] for row in rows):
        values = [row[1] for row in rows if row[2] == group]
        parts.append(f"{group} goes from {number(values[0])} to {number(values[-1])}")
    return f"Line chart of {short(title)} over {extent}: {'; '.join(parts)}."


def _curve_spec(title: str, has_groups: bool, training: Curve) -> Spec:
    epochs, unit = training.epochs, training.unit.capitalize()
    step = -(-len(epochs) // _MOST_TICKS)
    ticks = [epoch.number for epoch in epochs if epoch.number % step == 0]
    line = {
        "mark": {"type": "line", "point": {"size": 28} if len(epochs) <= _MOST_POINTS else False},
        "encoding": {
            "x": x(
                unit, axis={"values": ticks, "format": "d", "grid": False, "labelOverlap": False}
            ),
            "y": y(short(title), scale={"zero": False}, axis={"format": ",~r"}),
            "color": colour(["var(--train)", "var(--eval)"], legend=has_groups),
            "tooltip": tips(group="Split", x=unit, y="Value"),
        },
    }
    kept = {
        "data": {"name": "kept"},
        "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [4, 3]},
        "encoding": {"x": x(unit)},
    }
    return plot(200, line) if training.best_epoch is None else plot(200, line, kept)


def _is_finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
