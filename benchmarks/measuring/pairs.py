"""Runs this project and stock TFX in turn, each run in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from benchmarks.floors import WORK, Floors
from benchmarks.measuring.runs import PipelineRun, run_ours, run_stock
from benchmarks.measuring.workload import Workload, write_splits
from benchmarks.results import Row

COMPONENTS = (
    "ExampleGen", "StatisticsGen", "SchemaGen", "ExampleValidator", "Transform", "Trainer",
    "Evaluator", "Pusher",
)  # fmt: skip
Pair = tuple[PipelineRun, PipelineRun]


def run_pairs(workload: Workload, repeats: int) -> Iterator[Pair]:
    """Yields (stock, ours) pairs. The runs alternate, so that other load slows down both."""
    splits = None
    for index in range(repeats):
        ours = run_ours(workload, workload.directory / f"ours-{index}")
        # Stock TFX gets the splits of this project's ExampleGen.
        splits = splits or write_splits(workload, ours.directory)
        yield run_stock(workload, splits, workload.directory / f"stock-{index}"), ours


def make_rows(pairs: Sequence[Pair], rows: int, floors: Floors) -> list[Row]:
    """Returns the table: seconds of each component and of the whole, then memory and bytes."""

    def row(what: str, figure: Callable[[PipelineRun], float], unit: str = "s") -> Row:
        figures = [(figure(stock), figure(ours)) for stock, ours in pairs]
        return Row.of_pairs(what, figures, unit, floors.ratios.get(what))

    whole = row(WORK, lambda run: run.work)
    components = [row(name, partial(_seconds_of, name)) for name in COMPONENTS]
    return [
        *components,
        whole,
        Row("rows a second", rows / whole.stock, rows / whole.ours, whole.ratio, "/s"),
        row("start of the process", lambda run: run.start),
        row("whole process", lambda run: run.process.seconds),
        row("CPU", lambda run: run.process.cpu_seconds),
        row("peak memory", lambda run: run.process.peak_rss / 1e6, "MB"),
        row("files written", lambda run: run.written / 1e6, "MB"),
    ]


def _seconds_of(component: str, run: PipelineRun) -> float:
    return run.components[component]
