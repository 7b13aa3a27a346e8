"""Measures start-up, commands that need no TensorFlow, and fully cached runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from pathlib import Path

from benchmarks.floors import Floors
from benchmarks.measuring.process import ROOT, run_command
from benchmarks.measuring.runs import PipelineRun, read_summary, rerun_ours
from benchmarks.measuring.wide_table import COLUMNS, LABEL, ROWS, write_wide_table
from benchmarks.measuring.workload import PYTHON, Workload
from benchmarks.results import Check
from benchmarks.spec import ENVIRONMENT

_IMPORTS = "import tfx.v1, tensorflow_model_analysis"
_SAMPLE = ROOT / "data/chicago_taxi/sample.csv"

Figures = dict[str, float]


def measure_start(workload: Workload, done: PipelineRun, repeats: int) -> Figures:
    """Returns median seconds of importing TFX and TFMA, and of fully cached runs, in turn.

    `done` is a finished run; running it again must find everything in the cache.
    """
    imports, starts, rests, ratios = [], [], [], []
    for _ in range(repeats):
        log = done.directory.with_suffix(".imports.log")
        imported = run_command([PYTHON, "-c", _IMPORTS], log, ENVIRONMENT).seconds
        cached = rerun_ours(workload, done.directory)
        if not all(component["cached"] for component in read_summary(cached)["components"]):
            raise AssertionError(f"{done.directory}: an unchanged run was not cached")
        imports.append(imported)
        starts.append(cached.start)
        rests.append(cached.work)
        ratios.append(cached.start / imported)
    return {
        "imports": statistics.median(imports),
        "start": statistics.median(starts),
        "cached run after its start": statistics.median(rests),
        "start/imports": statistics.median(ratios),
    }


def measure_answers(directory: Path, repeats: int) -> Figures:
    """Returns median seconds of commands that need no TensorFlow."""
    pipeline = [PYTHON, "-m", "pipeline"]
    written = ["--output", str(directory / "init.yaml"), "--force"]
    sample = ["--data", str(_SAMPLE), "--label", "big_tipper", *written]
    wide = ["--data", str(directory / "wide.csv"), "--label", LABEL, *written]
    write_wide_table(directory / "wide.csv")
    wrong = ["--config", "configs/taxi.yaml", "--set", "training.epochz=3"]
    commands = {
        "--help": ([*pipeline, "--help"], 0),
        "wrong configuration": ([*pipeline, "run", *wrong], 2),
        "init": ([*pipeline, "init", *sample], 0),
        "init of many rows": ([*pipeline, "init", *wide], 0),
    }
    return {
        name: statistics.median(
            run_command(command, directory / "answer.log", expected=(code,)).seconds
            for _ in range(repeats)
        )
        for name, (command, code) in commands.items()
    }


def check_start(figures: Figures, floors: Floors) -> Iterator[Check]:
    """Yields the checks of the figures against their targets."""
    yield Check.at_most(
        "start of `run` / importing TFX and TFMA", figures["start/imports"],
        floors.start_of_imports,
    )  # fmt: skip
    yield Check.at_most(
        "cached run after its start, s", figures["cached run after its start"],
        floors.cached_seconds,
    )  # fmt: skip
    for name in ("--help", "wrong configuration"):
        yield Check.at_most(f"{name}, s", figures[name], floors.instant_seconds)
    yield Check.at_most("init on the sample, s", figures["init"], floors.init_seconds)
    wide = f"init on {ROWS:,} rows and {COLUMNS} columns, s"
    yield Check.at_most(wide, figures["init of many rows"], floors.wide_init_seconds)
