"""The goals of trainings with two workers, and the parts of a step.

A step of two workers consists of computing, which is the step of one worker on half of the rows, of
exchanging, which is the bare addition of as many numbers as the model has weights, and of waiting,
which is the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.results import Check
from benchmarks.scaling.measure import LINKED, WORKERS

GOALS = {256: 0.7, 1024: 1.15, 4096: 1.6}
"""The least ratio of examples per second, two workers to one, by global batch size."""
_MOST_OVER_PARTS = 1.3
"""The most milliseconds of a step per millisecond of computing and bare exchange."""
_MOST_SUPERVISION = 0.03
"""The most CPU seconds of the supervisor per second of the run. 0.002 were measured; a supervisor
that asks for statuses far too often exceeds the bound."""

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """The milliseconds of a step of all workers, and of its parts."""

    whole: float
    computing: float
    exchanging: float

    @property
    def waiting(self) -> float:
        return max(self.whole - self.computing - self.exchanging, 0.0)

    @property
    def over_parts(self) -> float:
        """How often its computing and its bare exchange fit into the step."""
        return self.whole / (self.computing + self.exchanging)


def split_step(size: str, training: Figures) -> Step:
    """Returns the step of a training at a global batch size."""
    speed = training["examples a second"][size][str(WORKERS)]
    whole = 1000 * float(size) / speed
    return Step(whole, training["computing"][size], training["exchanging"])


def find_ratio(size: str, training: Figures) -> float:
    """Returns the speed of all workers, divided by the speed of one."""
    speeds = training["examples a second"][size]
    return float(speeds[str(WORKERS)] / speeds["1"])


def check_goals(trainings: Mapping[str, Figures]) -> Iterator[Check]:
    """Yields the checks of each training; a slow link excuses the ratio, but no waiting."""
    for name, training in trainings.items():
        for size in training["examples a second"]:
            title = f"{name}, batch {int(size):,}"
            if name != LINKED and int(size) in GOALS:
                ratio = find_ratio(size, training)
                yield Check.at_least(
                    f"{title}: speed of {WORKERS} workers / 1", ratio, GOALS[int(size)]
                )
            over = split_step(size, training).over_parts
            yield Check.at_most(
                f"{title}: step / (computing + bare exchange)", over, _MOST_OVER_PARTS
            )


def check_supervisor(cost: Mapping[str, float]) -> Check:
    """Returns the check that supervision takes almost no CPU time from the workers."""
    share = cost["cpu seconds"] / cost["seconds"]
    what = f"supervisor's CPU seconds per second, in a run of {cost['seconds']:.0f} s"
    return Check.at_most(what, share, _MOST_SUPERVISION)
