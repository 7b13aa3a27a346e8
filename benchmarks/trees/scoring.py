"""Compares exported trees with LightGBM's own `predict`.

Both score the same rows of a random table with the same trees, in turn. LightGBM predicts with one
thread and with a thread for each core, and its faster median counts. TensorFlow uses all cores.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import click
import lightgbm
import numpy as np
import numpy.typing as npt
import tensorflow as tf

from benchmarks.console import exit_with, make_console
from benchmarks.results import Check
from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.scoring.scorer import ForestScorer

BATCH = 1024
_TABLE_ROWS = 20_000
_CATEGORIES = 40
_WARM_UP_CALLS = 5
_MOST_MILLISECONDS_OF_A_ROW = 3.0
_MOST_DIFFERENCE = 1e-4

Rows = npt.NDArray[np.float32]


@click.command(context_settings={"show_default": True})
@click.option("--trees", default=300, help="Trees of the model.")
@click.option("--leaves", default=31, help="Leaves of a tree.")
@click.option("--columns", default=20, help="Columns of the table; one in five holds categories.")
@click.option("--rounds", default=50, help="Measurements, of which the median counts.")
def main(trees: int, leaves: int, columns: int, rounds: int) -> None:
    """Compares exported trees with LightGBM's own predictions."""
    figures = measure(trees, leaves, columns, rounds)
    console = make_console()
    console.print_json(json.dumps(figures))
    checks = check(figures)
    exit_with(checks, console)


def measure(trees: int, leaves: int, columns: int, rounds: int) -> dict[str, float]:
    """Returns milliseconds of a batch and of a row, and the largest difference of two scores."""
    table, booster = _train(trees, leaves, columns)
    scorer = ForestScorer(parse_forest(booster.model_to_string()))
    signature = [tf.TensorSpec([None, columns], tf.float32)]
    score = tf.function(scorer, input_signature=signature, autograph=False)

    def predict(rows: Rows, threads: int) -> Callable[[], Any]:
        return lambda: booster.predict(rows, raw_score=True, num_threads=threads)

    batch, row = table[:BATCH], table[:1]
    cores = os.cpu_count() or 1
    alone, together, ours, one = _time_in_turn(
        rounds,
        predict(batch, 1),
        predict(batch, cores),
        lambda: score(tf.constant(batch)).numpy(),
        lambda: score(tf.constant(row)).numpy(),
    )
    wanted = np.asarray(booster.predict(table, raw_score=True))
    differences = np.abs(score(tf.constant(table)).numpy()[:, 0] - wanted)
    return {
        "cores": cores,
        "lightgbm_1_thread_ms": alone,
        "lightgbm_all_threads_ms": together,
        "exported_ms": ours,
        "exported_one_row_ms": one,
        "times_as_fast": min(alone, together) / ours,
        "largest_difference": float(differences.max()),
    }


def check(figures: dict[str, float]) -> list[Check]:
    """Returns the checks: as fast as LightGBM, fast for one row, and the same scores."""
    one_row, difference = figures["exported_one_row_ms"], figures["largest_difference"]
    return [
        Check.at_least(f"speed at batch {BATCH}, of LightGBM's", figures["times_as_fast"], 1.0),
        Check.at_most("milliseconds of one row", one_row, _MOST_MILLISECONDS_OF_A_ROW),
        Check.at_most("largest difference of two scores", difference, _MOST_DIFFERENCE),
    ]


def _train(trees: int, leaves: int, columns: int) -> tuple[Rows, lightgbm.Booster]:
    random = np.random.default_rng(0)
    table = random.normal(size=(_TABLE_ROWS, columns)).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    categorical = list(range(0, columns, 5))
    table[:, categorical] = random.integers(0, _CATEGORIES, (_TABLE_ROWS, len(categorical)))
    effects = random.normal(size=(_CATEGORIES, columns))
    known = np.nan_to_num(table)
    score = np.sin(2 * known) @ random.normal(size=columns) + known[:, 1] * known[:, -1]
    for column in categorical:
        score += effects[table[:, column].astype(int), column]
    data = lightgbm.Dataset(table, score, categorical_feature=categorical)
    settings = {"objective": "regression", "num_leaves": leaves, "verbosity": -1, "seed": 0}
    return table, lightgbm.train(settings, data, trees)


def _time_in_turn(rounds: int, *calls: Callable[[], Any]) -> list[float]:
    """Returns the median milliseconds of each call; the calls take turns."""
    seconds: list[list[float]] = [[] for _ in calls]
    for index in range(_WARM_UP_CALLS + rounds):
        for call, measured in zip(calls, seconds, strict=True):
            started = time.perf_counter()
            call()
            if index >= _WARM_UP_CALLS:
                measured.append(time.perf_counter() - started)
    return [1000 * statistics.median(measured) for measured in seconds]
