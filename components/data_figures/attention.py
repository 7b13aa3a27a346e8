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

from components.data_figures.figures import SERVED, Distance, Role, overall_missing
from components.statistics_view.distributions.wording import (
    MEASURE_NAMES,
    describe_distance,
    format_ratio,
    format_share,
)
from pipeline.core.events import Finding

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
    rows: Mapping[str, int]
    """By split."""
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
        yield (
            min(_ratio(signs.drift), _MOST),
            f"The values have moved {_describe(signs.drift)} away from the served model's data.",
        )
    for split, distance in signs.skew.items():
        yield (
            min(_ratio(distance) / 2, _MOST),
            f"The values of split {split} lie {_describe(distance)} away from split train.",
        )


def _describe(distance: Distance) -> str:
    ratio = format_ratio(distance.value, distance.limit)
    measured = describe_distance(distance.value, distance.limit)
    return f"{ratio} the allowed distance ({MEASURE_NAMES[distance.measure]} {measured})"


def _ratio(distance: Distance) -> float:
    return distance.value / distance.limit if distance.limit > 0 else float(distance.value > 0)


def _missing_values(signs: Signs) -> Iterator[tuple[float, str]]:
    shares = {sample: share for sample, share in signs.missing.items() if sample != SERVED}
    most = overall_missing(shares, signs.rows)
    yield most / 2, f"{format_share(most)} of the values are missing."
    if SERVED not in signs.missing or not shares:
        return
    rise = most - signs.missing[SERVED]
    if rise > 0:
        weight = rise / signs.tolerated_rise if signs.tolerated_rise > 0 else _MOST
        yield (
            min(weight, _MOST),
            f"Missing values have risen from {format_share(signs.missing[SERVED])} in the served "
            f"model's data to {format_share(most)}.",
        )
