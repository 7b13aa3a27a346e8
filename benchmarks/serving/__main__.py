"""`python -m benchmarks.serving`: prints and writes figures; exits with 1 if a check fails."""

from __future__ import annotations

import json
import os
import platform
import shutil
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from benchmarks.console import exit_with, make_console
from benchmarks.measuring.process import ROOT
from benchmarks.measuring.taxi_model import train_taxi
from benchmarks.results import Check
from benchmarks.serving.measurements import (
    measure_memory,
    measure_naive,
    measure_ours,
    measure_switch,
)
from benchmarks.serving.rows import read_rows, write_bodies
from benchmarks.serving.servers import measure_floor, read_json, run_ours
from components.served_model.served_record import read_pointer_file

CLIENTS = (1, 4, 16, 64)
BATCHES = (1, 64)
_GAIN = 10.0
"""The gain over a naive server: requests of many clients are answered by one call."""
_MOST_GROWTH = 1.05
"""How much a worker's memory may grow from the first tenth of the requests to the last."""


@click.command(context_settings={"show_default": True})
@click.option("--seconds", default=5.0, help="Seconds of each measurement.")
@click.option("--requests", default=100_000, help="Requests of the measurement of memory.")
@click.option("--workers", default=1, help="Processes of this project's server.")
@click.option("--idle", is_flag=True, help="The machine is idle: check the latency, too.")
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    default=ROOT / "build/bench-serving",
    help="Directory for the model and the results.",
)
def main(seconds: float, requests: int, workers: int, idle: bool, directory: Path) -> None:
    """Compares the model server with bare calls of the model, and with a naive server."""
    directory = directory.absolute()
    directory.mkdir(parents=True, exist_ok=True)
    console = make_console()
    serving, bodies = prepare(directory)
    model = _model_of(serving)
    figures: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version()},
        "floor": {
            str(batch): measure_floor(model, path, seconds) for batch, path in bodies.items()
        },
        "naive": measure_naive(model, bodies, CLIENTS, seconds, directory / "naive.log"),
        "ours": measure_ours(serving, bodies, CLIENTS, seconds, workers),
        "memory": measure_memory(serving, bodies[1], requests),
        "switch": measure_switch(serving, bodies[1], CLIENTS[-2]),
    }
    checks = check(figures, idle)
    (directory / "results.json").write_text(json.dumps(figures, indent=1), encoding="utf-8")
    console.print(_make_table(figures))
    exit_with(checks, console)


def prepare(directory: Path) -> tuple[Path, dict[int, Path]]:
    """Trains the taxi model unless it is there, and writes the bodies of the requests.

    Returns:
      A fresh copy of the serving directory, and the file of bodies by rows of a request.
    """
    output = train_taxi(directory)
    serving = directory / "copy" / "serving"
    shutil.rmtree(serving, ignore_errors=True)
    shutil.copytree(output / "serving", serving)
    with run_ours(serving, 1, directory / "server.log") as (port, _):
        types = _read_types(read_json(port, "/v1/models/model/metadata"))
    rows = read_rows(ROOT / "data/chicago_taxi/sample.csv", types)
    return serving, {n: write_bodies(rows, n, directory / f"batch-{n}.jsonl") for n in BATCHES}


def _model_of(serving: Path) -> Path:
    record = read_pointer_file(str(serving))
    assert record is not None
    return Path(record.served_model)


def _read_types(metadata: Any) -> dict[str, str]:
    inputs = metadata["metadata"]["signature_def"]["signature_def"]["serving_default"]["inputs"]
    names = {"DT_FLOAT": "float32", "DT_INT64": "int64", "DT_STRING": "string"}
    return {name: names[info["dtype"]] for name, info in inputs.items()}


def check(figures: dict[str, Any], idle: bool) -> list[Check]:
    """Returns the checks of the goals; two of them count on an idle machine alone."""
    ours, floor = figures["ours"], figures["floor"]
    best = max(m["rows_per_second"] for key, m in ours.items() if key.startswith("batch 64"))
    first, last = figures["memory"]["megabytes"]
    measured = (*ours.values(), figures["switch"], figures["memory"])
    failed = sum(sum(m["failed"].values()) for m in measured)
    checks = [
        Check.at_least("rows a second at batch 64, of the floor's", best / _rate(floor["64"]), 0.8),
        Check.at_most("failed requests, during switches and over all requests", failed, 0),
        Check.at_most(
            f"memory after {figures['memory']['requests']:,} requests, of a tenth's",
            last / first,
            _MOST_GROWTH,
        ),
    ]
    if idle:
        latency = ours["batch 1, 1 clients"]["p99"] / floor["1"]["p99"]
        busiest = "batch 1, 64 clients"
        gain = _rate(ours[busiest]) / _rate(figures["naive"][busiest])
        checks += [
            Check.at_most("p99 at batch 1, of the bare call's", latency, 3.0),
            Check.at_least(f"rows a second at {busiest}, of the naive server's", gain, _GAIN),
        ]
    return checks


def _rate(measured: dict[str, float]) -> float:
    return measured["rows_per_second"]


def _make_table(figures: dict[str, Any]) -> Table:
    table = Table("load", "rows/s", "p50 ms", "p99 ms", "naive rows/s", "naive p50", "naive p99")
    for batch, measured in figures["floor"].items():
        table.add_row(f"floor, batch {batch}", *_describe(measured))
    for key, measured in figures["ours"].items():
        table.add_row(key, *_describe(measured), *_describe(figures["naive"][key]))
    return table


def _describe(measured: dict[str, float]) -> list[str]:
    return [f"{_rate(measured):,.0f}", f"{measured['p50']:.2f}", f"{measured['p99']:.2f}"]


if __name__ == "__main__":
    main()
