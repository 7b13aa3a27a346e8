"""Charts of a multiclass classification."""

from __future__ import annotations

from components.model_figures.figures import (
    MulticlassFigures,
)
from pipeline.report.charts.chart import Chart, Spec, names, plot, tips
from pipeline.report.charts.quality import curve_chart
from pipeline.report.words import distinct, short

_MOST_TEXTS = 12
"""Classes up to which each cell of the confusion matrix shows its number."""


def confusion_chart(figures: MulticlassFigures) -> Chart:
    """Returns the confusion matrix: labels by row, predicted classes by column."""
    classes = distinct(figures.confusion_classes, 20)
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
