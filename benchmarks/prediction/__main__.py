"""`python -m benchmarks.prediction`: prints and writes figures; exits with 1 if a check fails."""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq
from pyarrow import csv as pa_csv
from rich.table import Table

from benchmarks.console import exit_with, make_console
from benchmarks.measuring.process import ROOT, run_command
from benchmarks.measuring.taxi_model import train_taxi
from benchmarks.results import Check
from pipeline.config import load_config
from serving.batch.make_task import make_task
from serving.batch.model_choice import choose_model
from serving.batch.task import Task

_OF_FLOOR = 0.6
"""The least share of the floor's rows a second."""
_ROWS_PER_SECOND = 300_000
"""The least rows a second on two cores, if the floor has as many."""
_OPTIONS = ("key", "columns", "form", "prefix", "max_bad_rows", "overwrite")


@click.command(context_settings={"show_default": True})
@click.option("--rows", default=3_000_000, help="Rows of the table.")
@click.option("--pairs", default=3, help="Pairs of measurements; their medians count.")
@click.option("--seconds", default=3.0, help="Seconds of each measurement of the floor.")
@click.option("--idle", is_flag=True, help="The machine is idle: check the rows a second, too.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench-predict",
    help="Directory for the model, the tables and the results.",
)
def main(rows: int, pairs: int, seconds: float, idle: bool, directory: Path) -> None:
    """Compares batch predictions with bare calls of the model on the same batches."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    serving = train_taxi(directory) / "serving"
    figures: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "rows": rows,
    }
    for form, table in make_tables(directory, rows).items():
        task = _make_task(serving, table, directory / "out")
        figures[form] = [measure_pair(task, seconds, directory) for _ in range(pairs)]
    checks = check(figures, idle)
    (directory / "results.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    console = make_console()
    console.print(_make_table(figures))
    exit_with(checks, console)


def make_tables(directory: Path, rows: int) -> dict[str, Path]:
    """Generates taxi trips, as CSV and as Parquet; returns the files by format."""
    tables = {form: directory / f"trips-{rows}.{form}" for form in ("csv", "parquet")}
    if not tables["csv"].exists():
        command = [sys.executable, "data/chicago_taxi/generate.py", "--rows", str(rows)]
        run_command([*command, "--output", str(tables["csv"])], directory / "rows.log")
    if not tables["parquet"].exists():
        pq.write_table(pa_csv.read_csv(tables["csv"]), tables["parquet"])
    return tables


def _make_task(serving: Path, table: Path, output: Path) -> Task:
    config = load_config([ROOT / "configs/taxi.yaml"])
    options = {**dict.fromkeys(_OPTIONS), "inputs": [str(table)], "output": output}
    return make_task(config, choose_model(serving, None), {**options, "columns": ["fare"]})


def measure_pair(task: Task, seconds: float, directory: Path) -> dict[str, float]:
    """Returns the rows a second of the floor and of the command, which predicts everything."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.prediction.floor"]
    done = subprocess.run(
        [*command, task.to_json(), str(seconds)],
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    shutil.rmtree(task.output, ignore_errors=True)
    summary = directory / "summary.json"
    options = ["--config", "configs/taxi.yaml", "--model", task.model, "--columns", "fare"]
    places = ["--input", task.inputs[0], "--output", task.output, "--json", str(summary)]
    run = [sys.executable, "-m", "pipeline", "predict", *options, *places]
    finished = run_command(run, directory / "predict.log")
    outcome = json.loads(summary.read_text(encoding="utf-8"))
    return {
        **json.loads(done.stdout),
        "ours": outcome["rows_per_second"],
        "rows": outcome["rows"],
        "whole_seconds": finished.seconds,
        "cpu_seconds": finished.cpu_seconds,
        "peak_megabytes": finished.peak_rss / 1e6,
    }


def check(figures: Mapping[str, Any], idle: bool) -> list[Check]:
    """Returns the checks of the goals; the rows a second count on an idle machine alone."""
    checks = []
    for form in ("csv", "parquet"):
        pairs = figures[form]
        share = statistics.median(pair["ours"] / _floor(pair) for pair in pairs)
        what = f"rows a second from {form}"
        checks.append(Check.at_least(f"{what}, of the floor's", share, _OF_FLOOR))
        floor = statistics.median(map(_floor, pairs))
        if idle and floor >= _ROWS_PER_SECOND:
            ours = statistics.median(pair["ours"] for pair in pairs)
            checks.append(Check.at_least(what, ours, _ROWS_PER_SECOND))
    return checks


def _floor(pair: Mapping[str, float]) -> float:
    return max(pair["signature"], pair["session"])


def _make_table(figures: Mapping[str, Any]) -> Table:
    table = Table("input", "floor rows/s", "ours rows/s", "share", "whole s", "CPU s", "peak MB")
    for form in ("csv", "parquet"):
        for pair in figures[form]:
            floor, ours = _floor(pair), pair["ours"]
            rest = (pair[key] for key in ("whole_seconds", "cpu_seconds", "peak_megabytes"))
            rates = (f"{floor:,.0f}", f"{ours:,.0f}", f"{ours / floor:.2f}")
            table.add_row(form, *rates, *(f"{number:,.1f}" for number in rest))
    return table


if __name__ == "__main__":
    main()
