"""Charts of the distribution of a column in all samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from components.data_figures.figures import (
    SERVED,
    ColumnFigures,
    Histogram,
    ValueShares,
)
from pipeline.core.contracts import Split
from pipeline.core.text import counted
from pipeline.report.charts.chart import (
    SAMPLE_COLOURS,
    SHARE_AXIS,
    Cell,
    Chart,
    Spec,
    colour,
    dashes,
    names,
    only,
    plot,
    rows_high,
    tips,
    value_x,
    x,
    y,
)
from pipeline.report.words import distinct, share, short, value

SAMPLE_NAMES = {SERVED: "served model's data"}
_OTHERS = "all other values"
_MOST_OTHERS = 0.95
"""Share of the values beyond the most frequent ones above which bars would show next to nothing."""


def samples_of(figures: Mapping[str, object]) -> list[str]:
    """Returns the samples of a figure in the order in which each chart shows them."""
    order = [*Split.ALL, SERVED]
    return [s for s in order if s in figures] + [s for s in figures if s not in order]


def milliseconds(column: ColumnFigures) -> int | None:
    """Returns the milliseconds of the column's unit if it counts time since 1970, else None."""
    medians = [n.median for n in column.numbers.values() if n.median is not None]
    if column.kind != "timestamp" or not medians:
        return None
    # As seconds, the largest of these would lie in the year 5138.
    return 1 if max(map(abs, medians)) > 1e11 else 1000


def why_not_drawn(column: ColumnFigures) -> str | None:
    """Returns in a few words why no drawing would show the column's values; None if one does."""
    if column.histogram is not None and any(column.histogram.shares.values()):
        return None
    if column.values is None or not column.values.values:
        return "no values"
    if min(column.values.other.values(), default=0) <= _MOST_OTHERS:
        return None
    if column.kind == "timestamp":
        return "times, nearly all different"
    return "an identifier" if column.role == "other" else "nearly all different"


def distribution_chart(column: ColumnFigures) -> Chart | None:
    """Returns the distribution of a column in all samples, or None; see `why_not_drawn`."""
    if why_not_drawn(column):
        return None
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
    unit = milliseconds(column)
    ends = list(_end_bars(histogram, samples, unit))
    told = ", ".join(f"{value(median, unit)} in {_shown(s)}" for s, median in medians.items())
    return Chart(
        title="Distribution",
        subject=column.name,
        reading="The height is the share of the sample's values between two edges. Lines that "
        f"lie over each other mean equal data.{_end_words(ends)}{_estimate_words(histogram)}",
        summary=f"Histogram of {short(column.name)} in {counted(len(samples), 'sample')}. "
        f"Median: {told or 'unknown'}.",
        fields={"x": "From", "x2": "To", "y": "Share of values", "group": "Sample"},
        rows=rows,
        spec=_histogram_spec(samples, unit, bool(ends)),
        others={"ends": (_END_FIELDS, [bar[:-1] for bar in ends])} if ends else {},
    )


_END_FIELDS = ("x", "x2", "y", "group", "name", "text")


def _end_bars(
    histogram: Histogram, samples: Sequence[str], unit: int | None
) -> Iterator[tuple[Cell, ...]]:
    """Yields a bar beside each end for the values beyond it, with whether it is estimated."""
    first, last = histogram.edges[0], histogram.edges[-1]
    width = (last - first) / 20
    for sample in samples:
        total = histogram.values.get(sample, 0)
        for beyond, edge, side, name in (
            (histogram.below, first, -1, "below"),
            (histogram.above, last, 1, "above"),
        ):
            count = beyond.get(sample, 0)
            if count and total:
                near, far = edge + side * width / 2, edge + side * width * 1.5
                place = (min(near, far), max(near, far))
                text = f"{name} {value(edge, unit)}"
                is_estimate = sample in histogram.estimated
                yield (*place, count / total, _shown(sample), text, f"{count:,}", is_estimate)


def _end_words(bars: Sequence[tuple[Cell, ...]]) -> str:
    """Returns what lies beyond the ends in a sentence; empty if nothing does."""
    told: dict[str, list[str]] = {}
    for bar in bars:
        about = "about " if bar[6] else ""
        told.setdefault(str(bar[4]), []).append(f"{about}{bar[5]} in {bar[3]}")
    sides = "; ".join(f"{name}: {', '.join(counts)}" for name, counts in told.items())
    return f" The bars apart hold the values beyond the ends: {sides}." if sides else ""


def _estimate_words(histogram: Histogram) -> str:
    if not histogram.estimated or not histogram.values:
        return ""
    names = " and ".join(_shown(sample) for sample in histogram.estimated)
    return f" The {names} is estimated from its deciles, since its rows are not kept."


def _histogram_spec(samples: Sequence[str], unit: int | None, has_ends: bool) -> Spec:
    channels = {"color": colour(_colours(samples)), "y": y("share of values", **SHARE_AXIS)}
    tip = [*tips(group="Sample", x="From", x2="To"), _share_tip("y")]
    area = {
        **only("group", _shown(samples[0])),
        "mark": {"type": "bar", "opacity": 0.22, "orient": "vertical"},
        "encoding": {
            **channels,
            # No scale: another layer's data would keep the legends of colour and dashes apart.
            "color": {"value": _colours(samples)[0]},
            "x": value_x(unit),
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
            "x": {**value_x(unit), "field": "edge"},
            "strokeDash": dashes((5, 3) if s == SERVED else (1, 0) for s in samples),
            "order": None,
        },
    }
    return plot(200, area, steps, *(_end_layers(channels, unit) if has_ends else ()))


def _end_layers(channels: Spec, unit: int | None) -> tuple[Spec, Spec]:
    # The other layers explain the colours.
    colour = {**channels["color"], "legend": None}
    place = {**channels, "x": value_x(unit), "color": colour}
    tip = [*tips(group="Sample", name="Values", text="Count"), _share_tip("y")]
    bars = {
        "data": {"name": "ends"},
        "mark": {"type": "bar", "opacity": 0.45, "orient": "vertical"},
        "encoding": {
            **place,
            "y": {**channels["y"], "stack": None},
            "x2": {"field": "x2"},
            "y2": {"datum": 0},
            "tooltip": tip,
        },
    }
    text = {
        "data": {"name": "ends"},
        "transform": [
            {"aggregate": [{"op": "max", "field": "y", "as": "y"}], "groupby": ["x", "name"]}
        ],
        "mark": {"type": "text", "dy": -7, "fontSize": 10, "clip": False},
        "encoding": {
            "x": value_x(unit),
            "y": channels["y"],
            "text": {"field": "name"},
            "color": {"value": "var(--muted)"},
        },
    }
    return bars, text


def _values_chart(column: ColumnFigures, values: ValueShares) -> Chart:
    samples = samples_of(values.shares)
    shown = distinct(values.values, 40)
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


def _share_tip(field: str) -> Spec:
    return {"field": field, "title": "Share", "type": "quantitative", "format": ".2~%"}


def _shown(sample: str) -> str:
    return SAMPLE_NAMES.get(sample, sample)


def _colours(samples: Sequence[str]) -> list[str]:
    return [SAMPLE_COLOURS.get(sample, "var(--muted)") for sample in samples]


def label_chart(columns: Sequence[ColumnFigures]) -> Chart | None:
    """Returns the distribution of the label in all splits."""
    labels = [column for column in columns if column.role == "label"]
    return distribution_chart(labels[0]) if labels else None
