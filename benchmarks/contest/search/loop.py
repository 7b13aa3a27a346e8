"""The random search: trials until the time is up; the one with the lowest eval loss counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.contest.rivals.problem import Contestant, Problem
from benchmarks.contest.search.spaces import Space, draw_settings

Trial = Callable[[Problem, Mapping[str, float]], Contestant]
"""A function of the problem, and of settings that replace the library's defaults."""


@dataclass(frozen=True)
class Found:
    """The best trial, and what the search did."""

    best: Contestant
    settings: dict[str, float]
    """The settings of the best trial; empty if the defaults were best."""
    trials: int
    seconds: float


def search(fit: Trial, space: Space, problem: Problem) -> Found:
    """Returns the best of as many trials as begin before the deadline, but of one at least."""
    started, generator = time.monotonic(), np.random.default_rng(problem.seed)
    settings: dict[str, float] = {}
    best, chosen, trials = fit(problem, settings), settings, 1
    while not problem.is_late:
        settings = draw_settings(space, generator)
        found = fit(problem, settings)
        trials += 1
        if found.eval_loss < best.eval_loss:
            best, chosen = found, settings
    return Found(best, chosen, trials, time.monotonic() - started)
