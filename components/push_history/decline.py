"""Tells whether models decline slowly, and whether the served model is worth less than it was.

A threshold `may_worsen_by` compares a model with the served one. So ten pushes that are each
slightly worse pass it, and lose ten times as much. Here a model is compared with the best of all
pushes. These were measured on the test rows of their own runs: a difference counts only if chance
does not explain it. The result is a warning and no threshold, because harder rows can be the cause.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from components.predictions.deciding_metrics import DecidingMetrics, read_deciding_metrics
from components.predictions.estimates import Estimate, subtract_independent
from components.push_history.history import Push, read_pushes
from components.served_model.changes import read_changes
from components.served_model.served_record import ServedRecord
from pipeline.config import METRICS

_TAIL = 0.025
_LONG_STREAK = 4
"""So many falls in a row are rarely chance: one order of five values in 120."""
_Z = NormalDist().inv_cdf(1 - _TAIL)


def list_declines(evaluation: str, served: ServedRecord | None) -> list[str]:
    """Returns a sentence for each metric that has declined over the pushes, or since the last one.

    Args:
      evaluation: the directory of the candidate's ModelEvaluation.
      served: the record of the served model that the candidate was compared with.
    """
    measured = read_deciding_metrics(evaluation)
    if served is None or measured is None or measured.served is None:
        return []
    pushes = _choose_pushes(served, measured.split)
    if not pushes:
        return []
    found = (_describe_metric(name, measured, pushes) for name in measured.allowed)
    return [*itertools.chain.from_iterable(found)]


def _choose_pushes(served: ServedRecord, split: str) -> list[Push]:
    """Returns the comparable pushes up to the served model; none if that is not on record."""
    withdrawn = read_changes(served.directory).withdrawals()
    pushes = [
        push
        for push in read_pushes(served.directory)
        if (push.label, push.split) == (served.label, split)
        and (push.version not in withdrawn or push.version == served.version)
    ]
    place = next((i for i, p in enumerate(pushes) if p.version == served.version), -1)
    return pushes[: place + 1]


@dataclass(frozen=True)
class _Series:
    """One metric over the pushes."""

    name: str
    pushes: Sequence[Push]
    """Those with a value of the metric, the served model's last."""
    candidate: Estimate
    served_now: Estimate
    """The served model on the candidate's rows."""

    def worse_by(self, now: Estimate, then: Estimate) -> Estimate:
        """Returns by how much `now` is worse than `then`."""
        if METRICS[self.name.partition("[")[0]].higher_is_better:
            return subtract_independent(then, now)
        return subtract_independent(now, then)

    def count_falls(self) -> int:
        """Returns how many models in a row are worse than the one before, the candidate last."""
        models = [self.candidate, *(p.metrics[self.name] for p in reversed(self.pushes))]
        falls = ((self.worse_by(a, b).value or 0) > 0 for a, b in itertools.pairwise(models))
        return sum(1 for _ in itertools.takewhile(bool, falls))

    def find_best(self) -> Push:
        """Returns the best push."""
        return max(
            self.pushes,
            key=lambda p: self.worse_by(self.candidate, p.metrics[self.name]).value or -math.inf,
        )


def _describe_metric(name: str, measured: DecidingMetrics, pushes: Sequence[Push]) -> Iterator[str]:
    known = [p for p in pushes if name in p.metrics and p.metrics[name].value is not None]
    candidate, served_now = measured.candidate.get(name), (measured.served or {}).get(name)
    if METRICS[name.partition("[")[0]].higher_is_better is None or not known:
        return
    if candidate is None or served_now is None or None in (candidate.value, served_now.value):
        return
    series = _Series(name, known, candidate, served_now)
    yield from _describe_decline(series, measured.allowed[name])
    yield from _describe_served(series)


def _describe_decline(series: _Series, allowed: float | None) -> Iterator[str]:
    best, falls = series.find_best(), series.count_falls()
    value = best.metrics[series.name]
    fall = series.worse_by(series.candidate, value)
    is_large = (fall.value or 0) > (allowed or 0) and _is_more_than_chance(fall, len(series.pushes))
    # Only the served model came before: the threshold itself compares with that.
    if (len(series.pushes) < 2 and is_large) or not (is_large or falls >= _LONG_STREAK):
        return
    row = f", the {_ordinal(falls)} model in a row that is worse" if falls > 1 else ""
    limit = f", while one push may lose {allowed:.4g}" if allowed is not None else ""
    chance = (
        "chance does not explain the difference, but harder rows can"
        if is_large
        else "each fall alone may be chance"
    )
    yield (
        f"{series.name} declines: {series.candidate.value:.4g} now{row}; {value.value:.4g} at "
        f"version {best.version}, the best of {len(series.pushes)} pushes. That is worse by "
        f"{fall.value:.4g}{limit}. Each version was measured on the rows of its own run: {chance}. "
        f"`report --compare {best.version} RUN`, with this run's name as RUN, compares both on "
        "common rows"
    )


def _describe_served(series: _Series) -> Iterator[str]:
    push = series.pushes[-1]
    then, now = push.metrics[series.name], series.served_now
    if _is_more_than_chance(series.worse_by(now, then), 1):
        yield (
            f"the served model, version {push.version}, has {series.name} {now.value:.4g} on the "
            f"rows of this run, and had {then.value:.4g} when it was pushed. The model is the "
            "same: the data or the labels have changed"
        )


def _is_more_than_chance(fall: Estimate, choices: int) -> bool:
    """Whether a fall is positive beyond its 95 % interval.

    Args:
      choices: the number of values from which the best one was chosen: the best one of many is high
        by chance, so the interval is widened as Bonferroni does.
    """
    if fall.value is None or fall.low is None:
        return False
    wider = NormalDist().inv_cdf(1 - _TAIL / choices) / _Z
    return fall.value - wider * (fall.value - fall.low) > 0


def _ordinal(number: int) -> str:
    words = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}
    suffix = (
        "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    )
    return words.get(number, f"{number}{suffix}")
