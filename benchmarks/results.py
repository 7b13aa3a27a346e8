"""The results of a benchmark: rows of figures, and checks that pass or fail."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One figure of stock TFX and of this project."""

    what: str
    stock: float
    """The median over the pairs, in `unit`."""
    ours: float
    ratio: float
    """How many times better this project is: the median over the pairs."""
    unit: str = "s"
    at_least: float | None = None
    """The least ratio that passes."""

    @classmethod
    def of_pairs(
        cls,
        what: str,
        pairs: Sequence[tuple[float, float]],
        unit: str = "s",
        at_least: float | None = None,
    ) -> Row:
        """Returns the row of medians of (stock, ours) pairs."""
        stock, ours = zip(*pairs, strict=True)
        ratio = statistics.median(s / o for s, o in pairs)
        return cls(what, statistics.median(stock), statistics.median(ours), ratio, unit, at_least)

    def check(self) -> Check | None:
        """Returns the check of the ratio, or None if the row has no target."""
        if self.at_least is None:
            return None
        return Check.at_least(f"{self.what}, stock/ours", self.ratio, self.at_least)


@dataclass(frozen=True)
class Check:
    """A condition that the benchmark tests."""

    what: str
    held: bool
    """Whether the condition is true."""
    found: str
    """The measured value and the target."""

    @classmethod
    def at_least(cls, what: str, value: float, bound: float) -> Check:
        """Returns the check that a value is not below a bound."""
        return cls(what, value >= bound, f"{value:.4g}, at least {bound:g}")

    @classmethod
    def at_most(cls, what: str, value: float, bound: float) -> Check:
        """Returns the check that a value is not above a bound."""
        return cls(what, value <= bound, f"{value:.4g}, at most {bound:g}")


@dataclass
class Results:
    """All results of one benchmark."""

    facts: dict[str, object] = field(default_factory=dict)
    """The settings and the machine."""
    rows: list[Row] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)
    """All measured values, by the part of the benchmark."""

    def add_rows(self, rows: Sequence[Row]) -> None:
        """Adds rows, and the checks of those rows that have a target."""
        self.rows += rows
        self.checks += [check for row in rows if (check := row.check())]

    @property
    def broken(self) -> list[Check]:
        """The failed checks."""
        return [check for check in self.checks if not check.held]
