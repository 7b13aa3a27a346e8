"""Draws the chart for docs/performance.md."""

from __future__ import annotations

import io
from pathlib import Path

from matplotlib import rcParams
from matplotlib.figure import Figure

from benchmarks.floors import WORK
from benchmarks.measuring.pairs import COMPONENTS
from benchmarks.results import Results, Row
from pipeline.core.files import write_bytes_atomically

_STOCK, _OURS = "#9aa5b1", "#1f6feb"


def write_chart(results: Results, path: Path) -> None:
    """Writes a bar chart of each component's seconds, stock TFX beside this project, as SVG.

    The same figures give the same bytes.
    """
    rcParams["svg.hashsalt"] = "benchmarks"
    rows = [row for row in results.rows if row.what in (*COMPONENTS, WORK)]
    figure = Figure(figsize=(8, 0.6 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    for offset, name, color in ((-0.2, "stock", _STOCK), (0.2, "ours", _OURS)):
        places = [index + offset for index in range(len(rows))]
        axes.barh(places, [getattr(r, name) for r in rows], 0.4, label=name, color=color)
    for index, row in enumerate(rows):
        axes.annotate(_label(row), (max(row.stock, row.ours), index), (6, 0), va="center",
                      textcoords="offset points")  # fmt: skip
    axes.set_yticks(range(len(rows)), [row.what for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.margins(x=0.15)
    axes.set_xlabel(f"seconds for {results.facts['rows']:,} rows, {results.facts['cpus']} CPUs")
    axes.legend(loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    drawn = io.BytesIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    write_bytes_atomically(path, drawn.getvalue(), durable=False)


def _label(row: Row) -> str:
    return f"{row.ratio:.3g}x"
