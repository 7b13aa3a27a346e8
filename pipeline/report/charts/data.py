"""Charts of the table: its columns, its label, and how much columns tell about each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from components.data_figures.figures import (
    SERVED,
    Associations,
    ColumnFigures,
    Histogram,
    ValueShares,
)
from pipeline.core.contracts import Split
from pipeline.core.text import counted
from pipeline.report.charts.chart import (
    SAMPLE_COLOURS,
    SHARE_AXIS,
    ZERO_TO_ONE,
    Cell,
    Chart,
    Spec,
    colour,
    names,
    only,
    plot,
    rows_high,
    tips,
    x,
    y,
)
from pipeline.report.words import number, share, short

SAMPLE_NAMES = {SERVED: "served model's data"}
_OTHERS = "all other values"


def samples_of(figures: Mapping[str, object]) -> list[str]:
    """Returns the samples of a figure in the order in which each chart shows them."""
    order = [*Split.ALL, SERVED]
    return [s for s in order if s in figures] + [s for s in figures if s not in order]


def distribution_chart(column: ColumnFigures) -> Chart | None:
    """Returns the distribution of a column in all samples, or None for a column without values."""
    if column.histogram is not None and any(column.histogram.shares.values()):
        return _histogram_chart(column, column.histogram)
    if column.values is not None and column.values.values:
        return _values_chart(column, column.values)
    return None


def _histogram_chart(column: ColumnFigures, histogram: Histogram) -> Chart:
    samples = samples_of(histogram.shares)
    edges = histogram.edges
    rows = [
        (low, high, bin_share, _shown(sample))
        for sample in samples
        for low, high, bin_share in zip(edges, edges[1:], histogram.shares[sample], strict=False)
    ]
    medians = {s: column.numbers[s].median for s in samples if s in column.numbers}
    told = ", ".join(f"{number(median)} in {_shown(s)}" for s, median in medians.items())
    return Chart(
        title="Distribution",
        subject=column.name,
        reading="The height is the share of the sample's values between two edges. Lines that "
        "lie over each other mean equal data.",
        summary=f"Histogram of {short(column.name)} in {counted(len(samples), 'sample')}. "
        f"Median: {told or 'unknown'}.",
        fields={"x": "From", "x2": "To", "y": "Share of values", "group": "Sample"},
        rows=rows,
        spec=_histogram_spec(samples),
    )


def _histogram_spec(samples: Sequence[str]) -> Spec:
    channels = {"color": colour(_colours(samples)), "y": y("share of values", **SHARE_AXIS)}
    tip = [*tips(group="Sample", x="From", x2="To"), _share_tip("y")]
    area = {
        **only("group", _shown(samples[0])),
        "mark": {"type": "bar", "opacity": 0.22, "orient": "vertical"},
        "encoding": {
            **channels,
            "x": x("value"),
            "x2": {"field": "x2"},
            "y2": {"datum": 0},
            "tooltip": tip,
        },
    }
    # Both edges of each bin become points: the line is then a staircase, also over unequal bins.
    steps = {
        "transform": [{"fold": ["x", "x2"], "as": ["side", "edge"]}],
        "mark": {"type": "line", "strokeWidth": 2, "strokeJoin": "round"},
        "encoding": {
            **channels,
            "x": x("value", field="edge"),
            "strokeDash": _dashes(samples),
            "order": None,
        },
    }
    return plot(200, area, steps)


def _values_chart(column: ColumnFigures, values: ValueShares) -> Chart:
    samples = samples_of(values.shares)
    shown = [short(value, 40) for value in _distinguishable(values.values)]
    rows: list[tuple[Cell, ...]] = [
        (value, value_share, _shown(sample))
        for sample in samples
        for value, value_share in zip(shown, values.shares[sample], strict=False)
    ]
    if any(values.other.get(sample) for sample in samples):
        rows += [(_OTHERS, values.other.get(sample), _shown(sample)) for sample in samples]
    first = values.shares[samples[0]]
    return Chart(
        title="Most frequent values",
        subject=column.name,
        reading="Each mark is the share of the sample's rows with that value. Marks that lie over "
        "each other mean equal data.",
        summary=f"The most frequent values of {short(column.name)} in "
        f"{counted(len(samples), 'sample')}. The first one is {shown[0]}, with "
        f"{share(first[0] if first else None)} of {_shown(samples[0])}.",
        fields={"name": "Value", "y": "Share of rows", "group": "Sample"},
        rows=rows,
        spec=_values_spec(samples, len(dict.fromkeys(row[0] for row in rows))),
    )


def _values_spec(samples: Sequence[str], values: int) -> Spec:
    channels = {
        "y": names(),
        "x": x("share of rows", field="y", **SHARE_AXIS),
        "color": colour(_colours(samples)),
        "tooltip": [*tips(name="Value", group="Sample"), _share_tip("y")],
    }
    bars = {
        **only("group", _shown(samples[0])),
        "mark": {"type": "bar", "opacity": 0.22, "height": {"band": 0.7}},
        "encoding": channels,
    }
    marks = {
        "mark": {"type": "tick", "thickness": 3, "height": {"band": 0.7}},
        "encoding": channels,
    }
    return plot(rows_high(values), bars, marks)


def _distinguishable(values: Sequence[str]) -> list[str]:
    """Returns the values, numbered where two would look the same after they are shortened."""
    shown = [short(value, 40) for value in values]
    return [
        f"{number_ + 1}: {value}" if shown.count(short(value, 40)) > 1 else value
        for number_, value in enumerate(values)
    ]


def _share_tip(field: str) -> Spec:
    return {"field": field, "title": "Share", "type": "quantitative", "format": ".2~%"}


def _shown(sample: str) -> str:
    return SAMPLE_NAMES.get(sample, sample)


def _colours(samples: Sequence[str]) -> list[str]:
    return [SAMPLE_COLOURS.get(sample, "var(--muted)") for sample in samples]


def _dashes(samples: Sequence[str]) -> Spec:
    dashes = [[5, 3] if sample == SERVED else [1, 0] for sample in samples]
    return {"field": "group", "type": "nominal", "sort": None, "scale": {"range": dashes}}


def label_chart(columns: Sequence[ColumnFigures]) -> Chart | None:
    """Returns the distribution of the label in all splits."""
    labels = [column for column in columns if column.role == "label"]
    return distribution_chart(labels[0]) if labels else None


def association_heatmap(associations: Associations) -> Chart | None:
    """Returns how much each column tells about each other one."""
    columns = [short(column, 24) for column in _distinguishable(associations.columns)]
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
    labels = _distinguishable([column.name for column in shown])
    return Chart(
        title="Association with the label",
        reading="How much a column alone tells about the label: 0 is nothing, 1 is everything. A "
        "value near 1 may be a leak.",
        summary=f"Bar chart of {counted(len(shown), 'column')}. {short(shown[0].name)} tells most, "
        f"with {number(shown[0].with_label)}.",
        fields={"name": "Column", "y": "Association, 0 to 1"},
        rows=[
            (short(label, 30), column.with_label)
            for label, column in zip(labels, shown, strict=True)
        ],
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
