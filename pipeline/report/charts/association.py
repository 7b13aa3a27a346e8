"""Charts of how much columns tell about each other, and about the label."""

from __future__ import annotations

from collections.abc import Sequence

from components.data_figures.figures import (
    Associations,
    ColumnFigures,
)
from pipeline.core.text import counted
from pipeline.report.charts.chart import (
    ZERO_TO_ONE,
    Chart,
    Spec,
    names,
    plot,
    rows_high,
    tips,
    x,
)
from pipeline.report.words import distinct, number, short


def association_heatmap(associations: Associations) -> Chart | None:
    """Returns how much each column tells about each other one."""
    columns = distinct(associations.columns, 24)
    rows = [
        (below, beside, value)
        for below, line in zip(columns, associations.matrix, strict=False)
        for beside, value in zip(columns, line, strict=False)
        if value is not None
    ]
    pairs = [(v, a, b) for a, b, v in rows if columns.index(a) < columns.index(b)]
    if not pairs:
        return None
    value, one, other = max(pairs)
    return Chart(
        title="Association between columns",
        reading="A strong colour means that one column tells much about the other. Two features "
        "that tell the same share their importance.",
        summary=f"Heatmap of {counted(len(columns), 'column')}. The strongest pair is {one} and "
        f"{other}, with {number(value)}.",
        fields={"name": "Column", "other": "Other column", "value": "Association, 0 to 1"},
        rows=rows,
        spec=_heatmap_spec(len(columns)),
    )


def _heatmap_spec(columns: int) -> Spec:
    return plot(
        max(22 * columns, 80),
        {
            "mark": {"type": "rect"},
            "encoding": {
                "x": names("other", labelAngle=-55, labelLimit=110),
                "y": names("name", labelLimit=110),
                "color": {
                    "field": "value",
                    "type": "quantitative",
                    "title": "association",
                    "scale": {"domain": [0, 1], "range": ["var(--heat-0)", "var(--heat-1)"]},
                },
                "tooltip": tips(name="Column", other="Other column", value="Association"),
            },
        },
    )


def label_association_chart(columns: Sequence[ColumnFigures]) -> Chart | None:
    """Returns the features that tell most about the label."""
    known = [c for c in columns if c.with_label is not None and c.role != "label"]
    known.sort(key=lambda column: -(column.with_label or 0))
    shown = known[:20]
    if not shown:
        return None
    labels = distinct([column.name for column in shown], 30)
    return Chart(
        title="Association with the label",
        reading="How much a column alone tells about the label: 0 is nothing, 1 is everything. A "
        "value near 1 may be a leak.",
        summary=f"Bar chart of {counted(len(shown), 'column')}. {short(shown[0].name)} tells most, "
        f"with {number(shown[0].with_label)}.",
        fields={"name": "Column", "y": "Association, 0 to 1"},
        rows=[(label, column.with_label) for label, column in zip(labels, shown, strict=True)],
        spec=plot(
            rows_high(len(shown)),
            {
                "mark": {"type": "bar", "color": "var(--train)", "height": {"band": 0.65}},
                "encoding": {
                    "y": names(),
                    "x": x("association with the label", field="y", **ZERO_TO_ONE),
                    "tooltip": tips(name="Column", y="Association"),
                },
            },
        ),
    )
