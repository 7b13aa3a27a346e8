"""Charts of the evaluation that every task has: slices and calibration."""

from __future__ import annotations

from collections.abc import Sequence

from components.model_figures.figures import Bin, Curve, Estimate, SliceFigures
from pipeline.core.text import counted
from pipeline.report.charts.chart import (
    CLASS_COLOURS,
    CLASS_DASHES,
    DIAGONAL,
    LABEL_ABOVE,
    MODEL_COLOURS,
    ZERO_TO_ONE,
    Chart,
    Spec,
    colour,
    dashes,
    names,
    plot,
    rows_high,
    tips,
    x,
    y,
)
from pipeline.report.words import number, short

_MOST_SLICES = 25


def slice_chart(
    slices: Sequence[SliceFigures], metric: str, overall: Estimate | None
) -> Chart | None:
    """Returns a metric of the worst slices with their intervals, against the whole split."""
    known = [
        (f"{short(s.name, 34)} ({s.examples:,})", s.metrics[metric])
        for s in slices
        if metric in s.metrics and s.metrics[metric].value is not None
    ][:_MOST_SLICES]
    if not known:
        return None
    worst, estimate = known[0]
    whole = overall.value if overall is not None else None
    return Chart(
        title=f"{short(metric)} of the slices",
        reading="The point is the slice's value, the bar its 95 % interval, and the dashed line "
        "the whole split. A bar that reaches the line may differ by chance. In brackets: rows.",
        summary=f"{counted(len(known), 'slice')} by {short(metric)}, the worst first. {worst} has "
        f"{number(estimate.value)}; the whole split has {number(whole)}.",
        fields={"group": "Slice (rows)", "x": short(metric), "low": "Low", "high": "High"},
        rows=[(name, e.value, e.low, e.high) for name, e in known],
        spec=interval_spec(short(metric), len(known), has_reference=whole is not None),
        others={} if whole is None else {"reference": (("x",), ((whole,),))},
    )


def interval_spec(title: str, names_: int, has_reference: bool = True) -> Spec:
    """Returns points with intervals below each other, and a dashed line at data `reference`."""
    name = names("group", labelLimit=LABEL_ABOVE)
    bar = {
        "mark": {"type": "rule", "color": "var(--train)", "strokeWidth": 3, "opacity": 0.45},
        "encoding": {
            "y": name,
            "x": x(title, field="low", scale={"zero": False}),
            "x2": {"field": "high"},
        },
    }
    point = {
        "mark": {
            "type": "point",
            "filled": True,
            "size": 60,
            "color": "var(--train)",
            "opacity": 1,
        },
        "encoding": {
            "y": name,
            "x": x(title, scale={"zero": False}),
            "tooltip": tips(group="Name", x="Value", low="Low", high="High"),
        },
    }
    reference = {
        "data": {"name": "reference"},
        "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [4, 3]},
        "encoding": {"x": x(title)},
    }
    layers = [bar, point, reference] if has_reference else [bar, point]
    return plot(rows_high(names_, 24), *layers)


def curve_chart(
    title: str, axes: tuple[str, str], reading: str, curves: Sequence[tuple[str, Curve | None]]
) -> Chart:
    """Returns curves of rates from 0 to 1, one for each model or class."""
    known = [(name, curve) for name, curve in curves if curve is not None]
    rows = [(a, b, name) for name, curve in known for a, b in zip(curve.x, curve.y, strict=False)]
    return Chart(
        title=title,
        reading=reading,
        summary=f"{title} of {', '.join(name for name, _ in known)}.",
        fields={"x": axes[0], "y": axes[1], "group": "Curve"},
        rows=rows,
        spec=_curve_spec(axes, [name for name, _ in known]),
    )


def _curve_spec(axes: tuple[str, str], groups: Sequence[str]) -> Spec:
    are_models = set(groups) <= set(MODEL_COLOURS)
    colours = [MODEL_COLOURS[name] for name in groups] if are_models else CLASS_COLOURS
    curve: Spec = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {
            "x": x(axes[0], **ZERO_TO_ONE),
            "y": y(axes[1], **ZERO_TO_ONE),
            "color": colour(colours, legend=len(groups) > 1),
            "order": None,
            "tooltip": tips(group="Curve", x=axes[0], y=axes[1]),
        },
    }
    if are_models:
        curve["encoding"]["strokeDash"] = dashes(
            (5, 3) if name == "served model" else (1, 0) for name in groups
        )
    elif len(groups) > 1:
        curve["encoding"]["strokeDash"] = dashes(CLASS_DASHES)
    layers = [DIAGONAL, curve] if axes[1] == "true positive rate" else [curve]
    return plot(260, *layers)


def calibration_chart(bins: Sequence[Bin], observed: str) -> Chart | None:
    """Returns the observed share or mean by predicted value."""
    known = [b for b in bins if b.observed.value is not None]
    if not known:
        return None
    farthest = max(known, key=lambda b: abs((b.observed.value or 0) - b.predicted))
    return Chart(
        title="Calibration",
        reading="Points on the diagonal: a prediction of 70 % comes true in 70 % of the rows. "
        "Points below the diagonal: the model predicts too much.",
        summary=f"Calibration in {counted(len(known), 'bin')}. The largest distance: predicted "
        f"{number(farthest.predicted)}, observed {number(farthest.observed.value)}.",
        fields={
            "x": "Mean prediction",
            "y": observed.capitalize(),
            "low": "Low",
            "high": "High",
            "size": "Rows",
        },
        rows=[
            (b.predicted, b.observed.value, b.observed.low, b.observed.high, b.examples)
            for b in known
        ],
        spec=_calibration_spec(observed),
    )


def _calibration_spec(observed: str) -> Spec:
    shared = {"x": x("mean prediction", **ZERO_TO_ONE)}
    bars = {
        "mark": {"type": "rule", "color": "var(--train)", "opacity": 0.45, "strokeWidth": 3},
        "encoding": {
            **shared,
            "y": y(observed, field="low", **ZERO_TO_ONE),
            "y2": {"field": "high"},
        },
    }
    points = {
        "mark": {
            "type": "point",
            "filled": True,
            "color": "var(--train)",
            "size": 60,
            "opacity": 1,
        },
        "encoding": {
            **shared,
            "y": y(observed, **ZERO_TO_ONE),
            "tooltip": tips(x="Mean prediction", y=observed, size="Rows"),
        },
    }
    return plot(260, DIAGONAL, bars, points)
