"""Charts that one kind of task has: binary and multiclass classification, regression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from components.model_figures.figures import (
    BinaryFigures,
    Histogram,
    MulticlassFigures,
    RegressionFigures,
)
from pipeline.report.charts.chart import Cell, Chart, Spec, colour, names, plot, tips, x, y
from pipeline.report.charts.quality import calibration_chart, curve_chart
from pipeline.report.words import number, short

_MOST_TEXTS = 12
"""Classes up to which each cell of the confusion matrix shows its number."""


def binary_charts(figures: BinaryFigures) -> Iterator[Chart]:
    """Yields ROC, precision-recall, calibration, scores and confusion of a binary model."""
    yield curve_chart(
        "ROC curve",
        ("false positive rate", "true positive rate"),
        "The nearer to the upper left corner, the better. The dotted diagonal is a guess.",
        [("this model", figures.roc), ("served model", figures.served_roc)],
    )
    yield curve_chart(
        "Precision and recall",
        ("recall", "precision"),
        "Each point is a threshold: how many positives the model finds, and how many of its "
        "positives are right.",
        [
            ("this model", figures.precision_recall),
            ("served model", figures.served_precision_recall),
        ],
    )
    if calibration := calibration_chart(figures.calibration, "share of positives"):
        yield calibration
    yield score_chart(figures.scores)


def score_chart(scores: Histogram) -> Chart:
    """Returns the distribution of the predicted probability by class."""
    rows = [
        (low, high, count / max(sum(counts), 1), short(name))
        for name, counts in scores.counts.items()
        for low, high, count in zip(scores.edges, scores.edges[1:], counts, strict=False)
    ]
    return Chart(
        title="Predicted probability by class",
        reading="The less the classes overlap, the better the model tells them apart.",
        summary=f"Histograms of the predicted probability for the rows of "
        f"{len(scores.counts)} classes.",
        fields={"x": "From", "x2": "To", "y": "Share of the class", "group": "Class"},
        rows=rows,
        spec=_overlaid_bars("predicted probability", "share of the class", ".0%"),
    )


def _overlaid_bars(across: str, up: str, form: str) -> Spec:
    return plot(
        260,
        {
            "mark": {"type": "bar", "opacity": 0.5, "orient": "vertical"},
            "encoding": {
                "x": x(across),
                "x2": {"field": "x2"},
                "y": y(up, stack=None, axis={"format": form}),
                "y2": {"datum": 0},
                "color": colour(["var(--eval)", "var(--train)", "var(--test)"]),
                "tooltip": tips(group="Class", x="From", x2="To", y=up.capitalize()),
            },
        },
    )


def confusion_chart(figures: MulticlassFigures) -> Chart:
    """Returns the confusion matrix: labels by row, predicted classes by column."""
    classes = _numbered(figures.confusion_classes)
    rows = [
        (label, predicted, count / max(sum(line), 1), count)
        for label, line in zip(classes, figures.confusion, strict=False)
        for predicted, count in zip(classes, line, strict=False)
    ]
    right = sum(line[i] for i, line in enumerate(figures.confusion))
    total = sum(map(sum, figures.confusion))
    return Chart(
        title="Confusion matrix",
        reading="A row is the true class, a column the predicted one. Right answers lie on the "
        "diagonal; strong colours beside it are mix-ups.",
        summary=f"Confusion matrix of {len(classes)} classes: {right:,} of {total:,} rows are on "
        "the diagonal.",
        fields={
            "name": "Class",
            "other": "Predicted",
            "value": "Share of the class",
            "size": "Rows",
        },
        rows=rows,
        spec=_confusion_spec(len(classes)),
    )


def _numbered(classes: Sequence[str]) -> list[str]:
    shown = [short(name, 20) for name in classes]
    return [f"{i}: {n}" if shown.count(n) > 1 else n for i, n in enumerate(shown, start=1)]


def _confusion_spec(classes: int) -> Spec:
    places = {
        "x": names("other", "predicted class", labelAngle=-55, labelLimit=110),
        "y": names("name", "true class", labelLimit=110),
    }
    cells = {
        "mark": {"type": "rect"},
        "encoding": {
            **places,
            "color": _heat("share of the class"),
            "tooltip": tips(
                name="Class", other="Predicted", value="Share of the class", size="Rows"
            ),
        },
    }
    if classes > _MOST_TEXTS:
        return plot(16 * classes + 60, cells)
    texts = {
        "mark": {"type": "text", "fontSize": 12},
        "encoding": {
            **places,
            "text": {"field": "size", "type": "quantitative", "format": ","},
            "color": {
                "condition": {
                    "test": {"field": "value", "gt": 0.5},
                    "value": "var(--on-heat-1)",
                },
                "value": "var(--ink)",
            },
        },
    }
    return plot(max(34 * classes, 140), cells, texts)


def _heat(title: str) -> Spec:
    return {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "scale": {"domainMin": 0, "range": ["var(--heat-0)", "var(--heat-1)"]},
    }


def rest_chart(figures: MulticlassFigures) -> Chart | None:
    """Returns the ROC curves of the classes with the worst F1, each against all others."""
    curves = [(short(c.name, 24), c.roc) for c in figures.classes if c.roc is not None]
    if not curves:
        return None
    return curve_chart(
        "One against the rest",
        ("false positive rate", "true positive rate"),
        "How well the model tells one class from all others; the classes with the worst F1 are "
        "shown.",
        curves,
    )


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
    spec = _overlaid_bars("label minus prediction", "rows", ",d")
    spec["encoding"]["color"] = {"value": "var(--train)"}
    return Chart(
        title="Residuals",
        reading="Label minus prediction. A good model has a narrow hill around 0; a hill beside 0 "
        "means a constant error.",
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
        reading="Strong colours hold many rows. A good model's cells lie on the diagonal.",
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
