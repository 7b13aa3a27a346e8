"""What a benchmark ends in: rows of figures, and checks that hold or do not."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One figure of both pipelines."""

    what: str
    stock: float
    ours: float
    ratio: float
    """How many times better ours is: the median over the pairs."""
    unit: str = "s"
    at_least: float | None = None
    """The ratio that has to be reached."""

    @classmethod
    def of_pairs(
        cls,
        what: str,
        pairs: Sequence[tuple[float, float]],
        unit: str = "s",
        at_least: float | None = None,
    ) -> Row:
        """The row of figures measured side by side, (stock, ours) each."""
        stock, ours = zip(*pairs, strict=True)
        ratio = statistics.median(s / o for s, o in pairs)
        return cls(what, statistics.median(stock), statistics.median(ours), ratio, unit, at_least)

    def check(self) -> Check | None:
        """Whether the ratio is reached, if one was asked for."""
        if self.at_least is None:
            return None
        return Check.at_least(f"{self.what}, stock/ours", self.ratio, self.at_least)


@dataclass(frozen=True)
class Check:
    """Something that has to hold."""

    what: str
    held: bool
    told: str
    """What was found, and what was wanted."""

    @classmethod
    def at_least(cls, what: str, value: float, bound: float) -> Check:
        return cls(what, value >= bound, f"{value:.4g}, at least {bound:g}")

    @classmethod
    def at_most(cls, what: str, value: float, bound: float) -> Check:
        return cls(what, value <= bound, f"{value:.4g}, at most {bound:g}")


@dataclass
class Results:
    """Everything one benchmark found."""

    facts: dict[str, object] = field(default_factory=dict)
    """Of the machine and the workload."""
    rows: list[Row] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)
    """All that was measured, by its part."""

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Takes rows, and the checks they bring."""
        self.rows += rows
        self.checks += [check for row in rows if (check := row.check())]

    @property
    def broken(self) -> list[Check]:
        return [check for check in self.checks if not check.held]
