"""Shows the seconds and the moved bytes of the runs as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.engine.runs import COMPONENTS, HERE
from benchmarks.markdown import make_table


def show_runs(figures: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a Markdown table: components, and for each place seconds and bytes."""
    places = figures["places"]
    headings = ["component", "this machine"]
    for name in places:
        headings += [] if name == HERE else [name, "MB written", "MB read"]
    whole = ["the whole run, its training here", f"{places[HERE]['process']:.1f} s"]
    for name, place in places.items():
        whole += [] if name == HERE else [f"{place['process']:.1f} s", "", ""]
    parts = [_list_cells(component, [component], places) for component in COMPONENTS]
    rows = [*parts, _list_cells("together", COMPONENTS, places), whole]
    yield from make_table(headings, rows, texts=1)


def _list_cells(title: str, components: list[str], places: dict[str, Any]) -> list[str]:
    cells = [title]
    for name, place in places.items():
        cells.append(f"{sum(place['seconds'][c] for c in components):.1f} s")
        if name != HERE:
            moved = [place["moved"][component] for component in components]
            cells += [f"{sum(m[key] for m in moved) / 1e6:,.1f}" for key in ("written", "read")]
    return cells
