"""Measures trainings by batch size and workers: `python -m benchmarks.scaling.fits SPEC`."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

from benchmarks.scaling.link import workers_on_link
from benchmarks.scaling.trainer import Fit, Trainer
from benchmarks.spec import write_answer
from pipeline.config import Config

_EPOCHS = 4
"""One epoch for tracing, and three to choose the fastest from."""
_Fits = dict[int, dict[int, Fit]]
"""By global batch size and number of workers."""


def measure(spec: dict[str, Any]) -> dict[str, Any]:
    """Returns examples per second by batch size and workers, and what a step consists of.

    With `spec["link"]`, the trainings of all workers are repeated over a slow link. With
    `spec["seconds"]`, the supervisor's CPU seconds are measured in a training of this length.
    """
    config = Config.model_validate_json(spec["config"])
    trainer = Trainer(config, Path(spec["run"]), Path(spec["directory"]))
    workers, sizes = spec["workers"], spec["batch_sizes"]
    fits = {size: {n: trainer.fit(size, n, _EPOCHS) for n in (1, workers)} for size in sizes}
    weights = trainer.count_weights()
    # What each of the workers computes in a step: a batch of its share of the rows.
    shares = {size: trainer.fit(size // workers, 1, _EPOCHS).speed for size in sizes}
    same = {
        "weights": weights,
        "computing": {size: 1000 * (size // workers) / speed for size, speed in shares.items()},
    }
    answer = {"without link": {**same, **_describe(fits, trainer, weights, workers)}}
    if spec.get("seconds"):
        answer["supervisor"] = _measure_supervisor(trainer, fits, workers, spec["seconds"])
    if spec.get("link"):
        with workers_on_link():
            linked = {
                size: {1: fits[size][1], workers: trainer.fit(size, workers, _EPOCHS)}
                for size in sizes
            }
            answer["with link"] = {**same, **_describe(linked, trainer, weights, workers)}
    return answer


def _describe(fits: _Fits, trainer: Trainer, weights: int, workers: int) -> dict[str, Any]:
    speeds = {size: {n: fit.speed for n, fit in of_size.items()} for size, of_size in fits.items()}
    return {"examples a second": speeds, "exchanging": trainer.measure_exchange(weights, workers)}


def _measure_supervisor(
    trainer: Trainer, fits: _Fits, workers: int, seconds: float
) -> dict[str, float]:
    size = max(fits)
    long = fits[size][workers]
    # On a small table, the start of the workers may already take these few seconds.
    if long.seconds < seconds:
        long = trainer.fit(size, workers, math.ceil(seconds / long.epoch_seconds))
    return {"seconds": long.seconds, "cpu seconds": long.supervisor_seconds}


if __name__ == "__main__":
    write_answer(sys.argv[1], measure)
