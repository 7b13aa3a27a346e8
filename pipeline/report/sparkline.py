"""The distribution of a column as a drawing of the size of a word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from components.data_figures.figures import ColumnFigures
from pipeline.report.charts.distribution import samples_of, why_not_drawn

_WIDTH, _HEIGHT = 120, 28
_MOST_BARS = 40


def sparkline(column: ColumnFigures) -> Markup:
    """Returns an SVG: the first sample as an area, the others as lines; empty if not drawn.

    The drawing repeats what the column's chart shows, so that screen readers skip it.
    """
    figure = column.histogram or column.values
    if why_not_drawn(column) or figure is None or not any(figure.shares.values()):
        return Markup("")
    edges = column.histogram.edges if column.histogram else range(_bars(figure.shares) + 1)
    paths = "".join(_paths(figure.shares, [float(edge) for edge in edges]))
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    return Markup(f'<svg class="spark" {size} aria-hidden="true">{paths}</svg>')


def _bars(shares: Mapping[str, Sequence[float]]) -> int:
    return min(max(map(len, shares.values())), _MOST_BARS)


def _paths(shares: Mapping[str, Sequence[float]], edges: Sequence[float]) -> Iterator[str]:
    highest = max((max(values, default=0) for values in shares.values()), default=0) or 1
    width = (edges[-1] - edges[0]) or 1
    for sample in samples_of(shares):
        heights = [round(_HEIGHT - 1 - share / highest * (_HEIGHT - 2)) for share in shares[sample]]
        places = [round((edge - edges[0]) / width * _WIDTH, 1) for edge in edges]
        steps = zip(places, places[1:], heights, strict=False)
        line = "".join(f"V{height}H{right:g}" for _, right, height in steps)
        yield f'<path class="{_css_class(sample)}" d="M0,{_HEIGHT}{line}V{_HEIGHT}"/>'


def _css_class(sample: str) -> str:
    return sample if sample in ("train", "eval", "test", "served") else "other"
