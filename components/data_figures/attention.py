"""Scores how much a column needs attention, and says why.

Each signal is a number from 0 to 0.99 with a sentence:

- drift: the distance from the served model's data over its limit.
- skew: half of the greatest distance of a split from split train over its limit, since a split is
  drawn from the same data and differs by chance.
- missing values: the rise of their share since the served model's data over the tolerated rise; and
  half of the share itself.
- a feature without any value, 0.95, or with the same value in every row, 0.6: it tells the model
  nothing.
- a feature whose association with the label is above 0.9: it may hold the answer.

The attention is the greatest signal. A finding of the gate adds 1 if the finding warns, and 2 if it
stops the run: then the column comes before all columns without a finding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from components.data_figures.figures import SERVED, Distance, Role
from pipeline.core.events import Finding
from pipeline.core.text import percent

_SEVERITIES = {"stop": 2.0, "warn": 1.0}
_WORTH_A_SENTENCE = 0.25
_LEAK = 0.9
_MOST = 0.99


@dataclass(frozen=True)
class Signs:
    """What is known about a column."""

    role: Role
    findings: Sequence[Finding]
    missing: Mapping[str, float]
    """By sample."""
    distinct: int | None
    """Different values over all splits; 2 stands for more than one."""
    drift: Distance | None
    skew: Mapping[str, Distance]
    with_label: float | None
    tolerated_rise: float
    """`validation.missing_values_rise`."""


def score_attention(signs: Signs) -> tuple[float, tuple[str, ...]]:
    """Returns the attention, and the reasons, the weightiest first."""
    signals = sorted(_signals(signs), key=lambda signal: -signal[0])
    base = max((_SEVERITIES.get(finding.severity, 0.0) for finding in signs.findings), default=0.0)
    found = tuple(f"The gate: {finding.problem}." for finding in signs.findings)
    reasons = tuple(text for weight, text in signals if weight >= _WORTH_A_SENTENCE)
    return base + max((weight for weight, _ in signals), default=0.0), found + reasons


def _signals(signs: Signs) -> Iterator[tuple[float, str]]:
    yield from _movements(signs)
    yield from _missing_values(signs)
    if signs.role != "feature":
        return
    if all(share == 1 for sample, share in signs.missing.items() if sample != SERVED):
        yield 0.95, "The column has no value."
    elif signs.distinct == 1:
        yield 0.6, "The column has the same value in every row."
    if signs.with_label is not None and signs.with_label > _LEAK:
        yield (
            min(signs.with_label, _MOST),
            f"The column tells nearly everything about the label (association "
            f"{signs.with_label:.2f}): it may be made from the label.",
        )


def _movements(signs: Signs) -> Iterator[tuple[float, str]]:
    if signs.drift is not None:
        ratio = _ratio(signs.drift)
        yield (
            min(ratio, _MOST),
            f"The values have moved {percent(ratio)} of the allowed distance away from the served "
            "model's data.",
        )
    for split, distance in signs.skew.items():
        ratio = _ratio(distance)
        yield (
            min(ratio / 2, _MOST),
            f"The values of split {split} lie {percent(ratio)} of the allowed distance away from "
            "split train.",
        )


def _ratio(distance: Distance) -> float:
    return distance.value / distance.limit if distance.limit > 0 else float(distance.value > 0)


def _missing_values(signs: Signs) -> Iterator[tuple[float, str]]:
    shares = [share for sample, share in signs.missing.items() if sample != SERVED]
    most = max(shares, default=0.0)
    yield most / 2, f"{percent(most)} of the values are missing."
    if SERVED not in signs.missing or not shares:
        return
    rise = most - signs.missing[SERVED]
    if rise > 0:
        weight = rise / signs.tolerated_rise if signs.tolerated_rise > 0 else _MOST
        yield (
            min(weight, _MOST),
            f"Missing values have risen from {percent(signs.missing[SERVED])} in the served "
            f"model's data to {percent(most)}.",
        )
