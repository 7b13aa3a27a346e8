"""Decides what a benchmark of a size measures, and measures it in order."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.equality.metrics import check_models, check_same_model
from benchmarks.equality.statistics import check_statistics
from benchmarks.floors import LARGE, Floors, choose_floors
from benchmarks.growth import check_growth, measure_growth
from benchmarks.measuring.pairs import Pair, make_rows, run_pairs
from benchmarks.measuring.runs import read_metrics
from benchmarks.measuring.starting import check_start, measure_answers, measure_start
from benchmarks.measuring.workload import Workload, generate_table
from benchmarks.results import Check, Results, Row
from benchmarks.spec import run_part
from pipeline.core.contracts import ArtifactFile, Split

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """How much the benchmark measures."""

    rows: int
    seed: int
    repeats: int
    """How many pairs of whole runs."""
    answers: int
    """How often a start or a short command is repeated."""
    batch_sizes: tuple[int, ...]
    """The global batch sizes of the fits."""
    rounds: int
    """How many fits of each feed, in turn."""
    examples: int
    """How many examples one epoch of such a fit has."""

    @classmethod
    def for_rows(cls, rows: int, seed: int, repeats: int | None) -> Plan:
        """Returns the plan for a table of `rows` rows.

        A million rows need no repeats: their runs are long. Few rows cannot fill large batches.
        """
        large = rows >= 200_000
        default = 1 if rows >= LARGE else 3
        return cls(
            rows,
            seed,
            repeats or default,
            answers=5 if large else 1,
            batch_sizes=(1024, 4096) if large else (1024,),
            rounds=3 if large else 2,
            # An epoch of fewer steps would mostly measure its own start and end.
            examples=2**19 if large else 2**16,
        )


def run_plan(plan: Plan, directory: Path, results: Results, say: Say) -> None:
    """Measures every part, and adds rows, checks and figures to `results`."""
    floors = choose_floors(plan.rows)
    say(f"Generating {plan.rows:,} rows")
    workload = Workload(directory, generate_table(directory, plan.rows, plan.seed))
    pairs: list[Pair] = []
    for pair in run_pairs(workload, plan.repeats):
        pairs.append(pair)
        stock, ours = (run.process.seconds for run in pair)
        say(f"Pair {len(pairs)} of {plan.repeats}: stock {stock:.0f} s, ours {ours:.0f} s")
    results.add_rows(make_rows(pairs, plan.rows, floors))
    results.figures["pairs"] = [[dataclasses.asdict(run) for run in pair] for pair in pairs]
    say("Comparing statistics and metrics")
    results.checks += _check_equality(workload, pairs[-1], floors)
    say("Measuring the speed of the fit")
    results.add_rows(_measure_throughput(workload, pairs[-1], plan, floors, results))
    say("Measuring starts and short commands")
    figures = measure_start(workload, pairs[-1][1], plan.answers)
    figures |= measure_answers(directory, plan.answers)
    results.figures["starting"] = figures
    results.checks += check_start(figures, floors)


def run_growth(directory: Path, seed: int, results: Results, say: Say) -> None:
    """Measures this project alone, up to ten million rows."""
    figures = {}
    for rows, found in measure_growth(directory, seed):
        figures[rows] = found
        gigabytes = found["peak bytes"] / 1e9
        say(f"{rows:,} rows: {found['seconds']:.0f} s, at most {gigabytes:.1f} GB of memory")
    results.figures["growth"] = figures
    results.checks += check_growth(figures)


def _check_equality(workload: Workload, pair: Pair, floors: Floors) -> list[Check]:
    """Returns checks that both pipelines have the same rows, statistics and metrics."""
    stock, ours = pair
    spec = _make_spec(workload, pair) | {"directory": str(workload.directory / "evaluation")}
    found = run_part("stock.evaluation", spec, workload.directory / "evaluation.json")
    own = read_metrics(ours)
    pushed = any((stock.directory / "serving").glob(f"*/{ArtifactFile.SAVED_MODEL}"))
    return [
        Check("stock pushed a model", pushed, "as ours did"),
        *check_statistics(stock.directory, ours.directory, workload.splits, Split.ALL),
        *check_models(found["stock"], own, floors.noise),
        check_same_model(found["same_model"], own),
    ]


def _measure_throughput(
    workload: Workload, pair: Pair, plan: Plan, floors: Floors, results: Results
) -> list[Row]:
    """Returns the rows of the fit's speed, and adds the checks of its limit to `results`."""
    spec = {"batch_sizes": plan.batch_sizes, "rounds": plan.rounds, "examples": plan.examples}
    found = run_part(
        "measuring.throughput",
        _make_spec(workload, pair) | spec,
        workload.directory / "throughput.json",
    )
    results.figures["throughput"] = found
    rows = []
    for size, speeds in found.items():
        what = f"fit, examples a second, batch {size}"
        at_least = floors.trainer_over_stock
        rows.append(
            Row(what, speeds["stock"], speeds["ours"], speeds["ours/stock"], "/s", at_least)
        )
        limit = f"fit, of the speed from memory, batch {size}"
        results.checks.append(Check.at_least(limit, speeds["ours/memory"], floors.trainer_of_limit))
    return rows


def _make_spec(workload: Workload, pair: Pair) -> dict[str, object]:
    stock, ours = pair
    config = workload.config.model_dump_json(by_alias=True)
    return {"config": config, "stock": str(stock.directory), "ours": str(ours.directory)}
