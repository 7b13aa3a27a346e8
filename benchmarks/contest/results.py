"""Sums up the matches of a table, and counts over tables how often our model is ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from benchmarks.contest.catalogue import Table
from benchmarks.contest.comparing import Bootstrap
from benchmarks.contest.match import Match
from benchmarks.contest.metrics import METRICS, measure
from benchmarks.contest.ours import NETWORK_ALONE, OURS, TREES_ALONE

_FAR_BEHIND = -1.0
"""The z below which a model counts as behind, although the difference may be chance."""


def summarize(table: Table, matches: Sequence[Match]) -> dict[str, Any]:
    """Returns the result of a table over all seeds.

    `better_than` holds, by metric and by each of our models, how much better it is than the others.
    """
    facts, names = matches[0].facts, list(matches[0].answers)
    task = facts["task"]
    scores = [{n: measure(task, m.labels, m.answers[n]) for n in names} for m in matches]
    return {
        "table": table.name,
        "purpose": table.purpose,
        "task": task,
        "rows": sum(facts["rows"].values()),
        "seeds": len(matches),
        "scores": {name: _means([each[name] for each in scores]) for name in names},
        "seconds": _means([match.facts["seconds"] for match in matches]),
        "better_than": {metric: _compare(metric, matches, names) for metric in METRICS[task]},
        "matches": [match.facts for match in matches],
    }


def _compare(
    metric: str, matches: Sequence[Match], names: Sequence[str]
) -> dict[str, dict[str, dict[str, Any]]]:
    answers = {name: [match.answers[name] for match in matches] for name in names}
    bootstrap = Bootstrap(metric, [match.labels for match in matches], answers)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for ours in (OURS, NETWORK_ALONE, TREES_ALONE):
        if ours in names:
            pairs = {n: bootstrap.compare(ours, n) for n in names if n != ours}
            found[ours] = {n: {**asdict(d), "verdict": d.verdict} for n, d in pairs.items()}
    return found


def _means(several: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([one[name] for one in several])) for name in several[0]}


@dataclass(frozen=True)
class Standing:
    """On how many tables our model is ahead of another one."""

    purpose: str
    by: str
    """`loss` for log loss and RMSE, or `metric` for the task's first metric."""
    other: str
    tables: int
    ahead: int
    significantly_ahead: int
    level: int
    """Tables without a significant difference."""
    significantly_behind: int
    behind: int
    far_behind: int
    """Tables with z below -1."""


def count_standings(results: Sequence[Mapping[str, Any]]) -> list[Standing]:
    """Returns the standings for each purpose, each way to choose a metric and each other model."""
    standings = []
    purposes = sorted({result["purpose"] for result in results})
    for purpose in purposes:
        chosen = [result for result in results if result["purpose"] == purpose]
        for by, place in (("loss", -1), ("metric", 0)):
            metrics = [METRICS[result["task"]][place] for result in chosen]
            found = [r["better_than"][m][OURS] for r, m in zip(chosen, metrics, strict=True)]
            others = dict.fromkeys(other for pairs in found for other in pairs)
            standings += [_count(purpose, by, other, found) for other in others]
    return standings


def _count(
    purpose: str, by: str, other: str, found: Sequence[Mapping[str, Mapping[str, Any]]]
) -> Standing:
    pairs = [pairs[other] for pairs in found if other in pairs]
    verdicts = [pair["verdict"] for pair in pairs]
    return Standing(
        purpose,
        by,
        other,
        tables=len(pairs),
        ahead=sum(pair["mean"] > 0 for pair in pairs),
        significantly_ahead=verdicts.count("ahead"),
        level=verdicts.count("level"),
        significantly_behind=verdicts.count("behind"),
        behind=sum(pair["mean"] < 0 for pair in pairs),
        far_behind=sum(pair["z"] < _FAR_BEHIND for pair in pairs),
    )
