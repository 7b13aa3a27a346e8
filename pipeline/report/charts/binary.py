"""Charts of a binary classification."""

from __future__ import annotations

from collections.abc import Iterator

from components.model_figures.figures import (
    BinaryFigures,
    Histogram,
)
from pipeline.report.charts.chart import (
    SHARE_AXIS,
    Chart,
    overlaid_bars,
)
from pipeline.report.charts.quality import calibration_chart, curve_chart
from pipeline.report.words import short


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
        spec=overlaid_bars("predicted probability", "share of the class", SHARE_AXIS["axis"]),
    )
