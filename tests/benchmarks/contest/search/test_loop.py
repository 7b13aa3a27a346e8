"""The random search keeps to its time and takes the best trial."""

import time
from collections.abc import Mapping

import numpy as np

from benchmarks.contest.rivals.problem import Contestant, Problem
from benchmarks.contest.search.loop import search
from benchmarks.contest.search.spaces import Range, draw_settings

SPACE = {"size": Range(1, 100, is_log=True, is_whole=True), "share": Range(0.5, 1)}


def fit(problem: Problem, settings: Mapping[str, float]) -> Contestant:
    """A trial whose loss is the share; the defaults have the share 0.75."""
    time.sleep(0.002)
    share = settings.get("share", 0.75)
    return Contestant(np.array([share]), 0.002, share)


def problem(seconds: float) -> Problem:
    return Problem({}, "regression", 0, 0, 1).end_in(seconds)


def test_a_search_takes_the_trial_with_the_lowest_eval_loss() -> None:
    found = search(fit, SPACE, problem(0.2))
    assert found.trials > 3
    assert found.best.eval_loss == found.best.answers[0] == found.settings["share"] < 0.75
    assert 0.2 <= found.seconds < 2


def test_a_search_without_time_has_the_defaults() -> None:
    found = search(fit, SPACE, problem(0))
    assert (found.trials, found.settings, found.best.eval_loss) == (1, {}, 0.75)


def test_drawn_settings_lie_in_their_ranges() -> None:
    generator = np.random.default_rng(0)
    drawn = [draw_settings(SPACE, generator) for _ in range(500)]
    sizes = [settings["size"] for settings in drawn]
    assert all(isinstance(size, int) and 1 <= size <= 100 for size in sizes)
    assert all(0.5 <= settings["share"] <= 1 for settings in drawn)
    assert 0.4 < np.mean(np.array(sizes) <= 10) < 0.6
