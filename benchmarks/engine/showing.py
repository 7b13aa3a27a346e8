"""Shows the seconds and the moved bytes of the runs as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.engine.runs import COMPONENTS, HERE


def make_table(figures: dict[str, Any]) -> Iterator[str]:
    """Yields the lines of a Markdown table: components, and for each place seconds and bytes."""
    places = figures["places"]
    headings = ["component", "this machine"]
    for name in places:
        headings += [] if name == HERE else [name, "MB written", "MB read"]
    yield f"| {' | '.join(headings)} |"
    yield f"| --- |{' ---: |' * (len(headings) - 1)}"
    for component in COMPONENTS:
        yield _make_line(component, [component], places)
    yield _make_line("together", COMPONENTS, places)
    whole = [f"{places[HERE]['process']:.1f} s"]
    for name, place in places.items():
        whole += [] if name == HERE else [f"{place['process']:.1f} s", "", ""]
    yield f"| the whole run, its training here | {' | '.join(whole)} |"


def _make_line(title: str, components: list[str], places: dict[str, Any]) -> str:
    cells = [title]
    for name, place in places.items():
        cells.append(f"{sum(place['seconds'][c] for c in components):.1f} s")
        if name != HERE:
            moved = [place["moved"][component] for component in components]
            cells += [f"{sum(m[key] for m in moved) / 1e6:,.1f}" for key in ("written", "read")]
    return f"| {' | '.join(cells)} |"
