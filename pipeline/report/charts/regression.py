"""Charts of a regression."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from components.model_figures.figures import (
    Histogram,
    RegressionFigures,
)
from pipeline.report.charts.chart import (
    Cell,
    Chart,
    Spec,
    names,
    overlaid_bars,
    plot,
    tips,
    x,
    y,
)
from pipeline.report.words import number, short


def regression_charts(figures: RegressionFigures) -> Iterator[Chart]:
    """Yields residuals, predicted against true, and the error by decile of a regression."""
    yield _residual_chart(figures.residuals)
    yield _agreement_chart(figures)
    yield _decile_chart(figures)


def _residual_chart(residuals: Histogram) -> Chart:
    rows = [
        (low, high, count, short(name))
        for name, counts in residuals.counts.items()
        for low, high, count in zip(residuals.edges, residuals.edges[1:], counts, strict=False)
    ]
    spec = overlaid_bars("label minus prediction", "rows", {"format": ",d"})
    spec["mark"]["opacity"] = 0.85
    spec["encoding"]["color"] = {"value": "var(--train)"}
    return Chart(
        title="Residuals",
        reading="Label minus prediction. A good model has a narrow hill around 0; a hill beside 0 "
        "means a constant error. The first and the last bar also hold all residuals beyond them.",
        summary=f"Histogram of {sum(map(sum, residuals.counts.values())):,} residuals.",
        fields={"x": "From", "x2": "To", "y": "Rows", "group": "Group"},
        rows=rows,
        spec=spec,
    )


def _agreement_chart(figures: RegressionFigures) -> Chart:
    edges = figures.edges
    bins = list(pairwise(edges))
    rows: list[tuple[Cell, ...]] = [
        (*across, *up, count)
        for up, line in zip(bins, figures.predicted_against_true, strict=False)
        for across, count in zip(bins, line, strict=False)
        if count
    ]
    return Chart(
        title="Predicted against true",
        reading="Strong colours hold many rows. A good model's cells lie on the diagonal. The "
        "cells at the edges also hold all rows beyond them.",
        summary=f"Two-dimensional histogram over {len(bins)} bins of label and prediction.",
        fields={
            "x": "Predicted from", "x2": "Predicted to", "y": "Label from", "y2": "Label to",
            "value": "Rows",
        },
        rows=rows,
        spec=_agreement_spec(edges[0], edges[-1]),
    )  # fmt: skip


def _agreement_spec(low: float, high: float) -> Spec:
    limits = {"scale": {"domain": [low, high], "nice": False}}
    cells = {
        "mark": {"type": "rect"},
        "encoding": {
            "x": x("prediction", **limits),
            "x2": {"field": "x2"},
            "y": y("label", **limits),
            "y2": {"field": "y2"},
            "color": {
                "field": "value",
                "type": "quantitative",
                "title": "rows",
                "scale": {"type": "log", "range": ["var(--heat-0)", "var(--heat-1)"]},
            },
            "tooltip": tips(x="Predicted from", y="Label from", value="Rows"),
        },
    }
    diagonal = {
        "data": {"values": [{"x": low, "y": low}, {"x": high, "y": high}]},
        "mark": {"type": "line", "color": "var(--muted)", "strokeDash": [2, 3], "strokeWidth": 1},
        "encoding": {"x": x("prediction"), "y": y("label")},
    }
    return plot(300, cells, diagonal)


def _decile_chart(figures: RegressionFigures) -> Chart:
    rows: list[tuple[Cell, ...]] = [
        (f"{i}: {number(d.predicted)}", d.mean_absolute_error, d.label, d.examples)
        for i, d in enumerate(figures.deciles, start=1)
    ]
    worst = max(figures.deciles, key=lambda d: d.mean_absolute_error, default=None)
    return Chart(
        title="Error by decile",
        reading="The rows are sorted by prediction and cut into tenths. A high bar shows where "
        "the model is wrong most.",
        summary=f"Mean absolute error in {len(rows)} tenths of the rows; the largest is "
        f"{number(worst.mean_absolute_error if worst else None)}.",
        fields={
            "name": "Tenth: mean prediction",
            "y": "Mean absolute error",
            "value": "Mean label",
            "size": "Rows",
        },
        rows=rows,
        spec=_decile_spec(),
    )


def _decile_spec() -> Spec:
    return plot(
        260,
        {
            "mark": {"type": "bar", "color": "var(--train)", "width": {"band": 0.7}},
            "encoding": {
                "x": names("name", "tenth: mean prediction", labelAngle=-35),
                "y": y("mean absolute error"),
                "tooltip": tips(
                    name="Tenth", y="Mean absolute error", value="Mean label", size="Rows"
                ),
            },
        },
    )
