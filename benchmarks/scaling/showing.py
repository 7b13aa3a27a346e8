"""Shows trainings with one and with two workers as tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from benchmarks.markdown import make_table
from benchmarks.scaling.goals import find_ratio, split_step
from benchmarks.scaling.measure import WORKERS
from pipeline.core.text import counted

_HEADINGS = (
    "global batch size",
    "1 worker, examples/s",
    f"{counted(WORKERS, 'worker')}, examples/s",
    "ratio",
    "ms a step",
    "computing",
    "exchanging",
    "waiting",
)


def show_scaling(figures: Mapping[str, Any]) -> Iterator[str]:
    """Yields the lines of all tables."""
    for name, training in figures["trainings"].items():
        yield f"{name[0].upper()}{name[1:]}, {training['weights']:,} weights:"
        yield ""
        yield from make_table(_HEADINGS, _list_sizes(training))
        yield ""
    if figures["link"] != "measured":
        yield f"Without the trainings over a slow link: {figures['link']}."
        yield ""
    yield "The input pipeline of one worker alone, on one core:"
    yield ""
    headings = ("batch of a worker", "rows from", "examples/s", "MB/s")
    yield from make_table(headings, _list_feeds(figures["input"]))


def _list_sizes(training: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for size, speeds in training["examples a second"].items():
        step = split_step(size, training)
        parts = (step.whole, step.computing, step.exchanging, step.waiting)
        yield (
            f"{int(size):,}",
            *(f"{speeds[count]:,.0f}" for count in ("1", str(WORKERS))),
            f"{find_ratio(size, training):.2f}",
            *(f"{part:.2f}" for part in parts),
        )


def _list_feeds(feeds: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    for size, sources in feeds.items():
        for source, feed in sources.items():
            speeds = f"{feed['examples a second']:,.0f}", f"{feed['bytes a second'] / 1e6:,.1f}"
            yield (f"{int(size):,}", source, *speeds)
