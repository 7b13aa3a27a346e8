"""Sums up the matches of a table, and counts over tables how often our model is ahead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.contest.catalogue import Table
from benchmarks.contest.comparing import Difference, combine_seeds, subtract
from benchmarks.contest.metrics import METRICS
from benchmarks.contest.ours import OURS

_FAR_BEHIND = -1.0
"""The z below which a model counts as behind, although the difference may be chance."""

Scores = Mapping[str, float]


@dataclass(frozen=True)
class TableResult:
    """What the matches of a table say together."""

    table: Table
    lines: Sequence[Mapping[str, Any]]
    """The line of each seed; see `records.lines`."""

    @property
    def task(self) -> str:
        """The task of the label."""
        return str(self.lines[0]["task"])

    @property
    def rows(self) -> int:
        """The rows of all splits."""
        return sum(self.lines[0]["rows"].values())

    @property
    def commits(self) -> list[str]:
        """The code of the matches, the first one first."""
        dated = sorted(self.lines, key=lambda line: str(line["date"]))
        return list(dict.fromkeys(str(line["commit"]) for line in dated))

    def list_scores(self, model: str) -> list[Scores]:
        """Returns the model's metrics by name, for each seed that it has a result for."""
        return [line["scores"][model] for line in self.lines if model in line["scores"]]

    def average(self, model: str, metric: str) -> float | None:
        """Returns the model's mean over the seeds that it has a result for; None without one."""
        values = [scores[metric] for scores in self.list_scores(model)]
        return float(np.mean(values)) if values else None

    def count_failures(self, model: str) -> int:
        """Returns the number of seeds for which the model failed."""
        return sum(model in line["failed"] for line in self.lines)

    def average_seconds(self, what: str) -> float | None:
        """Returns the mean seconds of a model, of `init` or of `run`; None if unknown."""
        values = [line["seconds"][what] for line in self.lines if what in line["seconds"]]
        return float(np.mean(values)) if values else None

    def compare(
        self, metric: str, ours: str, other: str, *, of_rows_alone: bool = False
    ) -> Difference | None:
        """Returns how much better `ours` is, by the seeds with both models; None without one.

        For `of_rows_alone`, see `combine_seeds`.
        """
        both = [line for line in self.lines if other in line["errors"][metric].get(ours, {})]
        if not both:
            return None
        scores = [line["scores"] for line in both]
        return combine_seeds(
            [subtract(metric, each[ours][metric], each[other][metric]) for each in scores],
            [line["errors"][metric][ours][other] for line in both],
            of_rows_alone=of_rows_alone,
        )


def group_tables(lines: Sequence[Mapping[str, Any]], tables: Sequence[Table]) -> list[TableResult]:
    """Returns the result of each table that has a match, in the order of the tables."""
    by_name = {
        table.name: [line for line in lines if line["table"] == table.name] for table in tables
    }
    return [TableResult(table, by_name[table.name]) for table in tables if by_name[table.name]]


_WAYS = (("loss", -1, False), ("loss, rows alone", -1, True), ("metric", 0, False))
"""For each way to compare: its name, the place of the metric, and whether only rows vary."""


@dataclass(frozen=True)
class Standing:
    """On how many tables our model is ahead of another one."""

    purpose: str
    by: str
    """`loss` for log loss and RMSE, `loss, rows alone` without the variance between seeds, or
    `metric` for the task's first metric."""
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


def count_standings(results: Sequence[TableResult], others: Sequence[str]) -> list[Standing]:
    """Returns the standings for each purpose, each way to choose a metric and each other model."""
    standings = []
    for purpose in sorted({result.table.purpose for result in results}):
        chosen = [result for result in results if result.table.purpose == purpose]
        for by, place, alone in _WAYS:
            for other in others:
                pairs = [
                    each.compare(METRICS[each.task][place], OURS, other, of_rows_alone=alone)
                    for each in chosen
                ]
                found = [pair for pair in pairs if pair is not None]
                standings += [_count(purpose, by, other, found)] if found else []
    return standings


def _count(purpose: str, by: str, other: str, pairs: Sequence[Difference]) -> Standing:
    verdicts = [pair.verdict for pair in pairs]
    return Standing(
        purpose,
        by,
        other,
        tables=len(pairs),
        ahead=sum(pair.mean > 0 for pair in pairs),
        significantly_ahead=verdicts.count("ahead"),
        level=verdicts.count("level"),
        significantly_behind=verdicts.count("behind"),
        behind=sum(pair.mean < 0 for pair in pairs),
        far_behind=sum(pair.z < _FAR_BEHIND for pair in pairs),
    )
