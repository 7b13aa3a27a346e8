"""`python -m benchmarks.trees.threads`: how long a tree takes, by how LightGBM's threads wait.

OpenMP reads the way of waiting when it is loaded, so each measurement is a process of its own. The
processes take turns. With `--busy`, other processes compete for the cores.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator

import click

from benchmarks.console import make_console

_WAYS = {
    "as loaded here": {},
    "sleep at once": {"OMP_WAIT_POLICY": "passive"},
    "OpenMP's default": {"GOMP_SPINCOUNT": "300000"},
}
"""The environment of each way; 300,000 is what GNU's OpenMP takes where nothing is set."""
_TRAIN = """
import sys, time
import numpy as np
from trainer_module.trees.library import lightgbm
rows, trees = map(int, sys.argv[1:])
random = np.random.default_rng(0)
table = random.normal(size=(rows, 13)).astype(np.float32)
target = table[:, 0] + np.sin(3 * table[:, 1]) * table[:, 2]
settings = {"objective": "regression", "verbosity": -1, "deterministic": True,
            "force_row_wise": True}
data = lightgbm.Dataset(table, target, params=settings).construct()
booster = lightgbm.Booster(settings, data)
booster.update()
started = time.perf_counter()
for _ in range(trees):
    booster.update()
print((time.perf_counter() - started) * 1000 / trees)
"""


@click.command(context_settings={"show_default": True})
@click.option("--rows", default=20_000, help="Rows of the table, which has 13 numbers.")
@click.option("--trees", default=100, help="Trees of each measurement.")
@click.option("--rounds", default=3, help="Measurements of each way, of which the median counts.")
@click.option("--busy", default=0, help="Other processes that use the cores meanwhile.")
def main(rows: int, trees: int, rounds: int, busy: int) -> None:
    """Measures milliseconds of a tree for three ways of waiting."""
    with _competitors(busy):
        make_console().print_json(json.dumps(measure(rows, trees, rounds)))


def measure(rows: int, trees: int, rounds: int) -> dict[str, float]:
    """Returns the median milliseconds of a tree, by way of waiting."""
    found: dict[str, list[float]] = {way: [] for way in _WAYS}
    for _ in range(rounds):
        for way, variables in _WAYS.items():
            found[way].append(_train(rows, trees, variables))
    return {way: round(statistics.median(several), 2) for way, several in found.items()}


def _train(rows: int, trees: int, variables: dict[str, str]) -> float:
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    own = {key: value for key, value in os.environ.items() if key not in names}
    command = [sys.executable, "-c", _TRAIN, str(rows), str(trees)]
    done = subprocess.run(
        command, env={**own, **variables}, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


@contextlib.contextmanager
def _competitors(count: int) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


if __name__ == "__main__":
    main()
