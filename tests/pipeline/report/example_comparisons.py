"""Comparisons for tests: two ordinary runs, and two runs whose names and cells are hostile."""

from __future__ import annotations

from components.data_figures.figures import Distance
from components.model_figures.figures import Estimate
from pipeline.report.comparison import (
    Change,
    ChangedRow,
    ColumnChange,
    CommonRows,
    Comparison,
    MetricChange,
    Side,
    SliceChange,
)


def compared(texts: tuple[str, ...] = ("payment_type", "Cash")) -> Comparison:
    """Returns a comparison in which every name and every cell is one of the texts."""
    name, value = texts[0], texts[-1]
    change = MetricChange(
        name,
        Estimate(0.9, 0.88, 0.92),
        Estimate(1.0, 0.51, 1.0, examples=4),
        Estimate(0.01, 0, 0.02),
        True,
    )
    worse = MetricChange(
        value, Estimate(0.3, 0.2, 0.4), Estimate(0.5, 0.4, 0.6), Estimate(0.2, 0.1, 0.3), False
    )
    row = ChangedRow(3, 7, value, name, name, value, 0.7, dict.fromkeys(texts, value))
    return Comparison(
        format=1,
        before=Side(value, name, name, "2026-11-23T06:31:30+00:00", "pushed", "17", {"train": 5}),
        after=Side(name, value, value, "2026-11-24T06:31:30+00:00", "pushed", "18", {"train": 6}),
        headline=f"{name} rose by 0.01.",
        configuration=tuple(Change(text, value, None) for text in texts),
        code=(Change("Trainer", "a", "b"),),
        versions=(Change("numpy", "1.26", "2.0"),),
        data=(Change("rows of train", "5", "6"),),
        columns=(
            ColumnChange(
                name, "drift", Distance("infinity_norm", 0.3, 0.1, 0.12), 0.0, 0.1, 0.2, ""
            ),
            ColumnChange(
                value, "not judged", None, None, 0.5, None, "only the table after has the column"
            ),
        ),
        metric=name,
        metrics=(change, worse),
        paired=True,
        slices=(SliceChange(f"{name}={value}", 40, worse),),
        rows=CommonRows(100, 120, 90, texts, 1, 2, 1, 1, (row,)),
        notes=(value,),
    )
