"""Finds numbers that lie far outside the range of the served model's data.

A mistake of the unit multiplies or divides by ten or more. If it hits few rows, the distribution as
a whole hardly moves: TFDV's divergence of two histograms stays within its limit. Trends and rare
values seldom go farther beyond a range than the range is wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.formatting import round_up_share
from components.anomaly_gate.gate_inputs import GateInputs, ReadColumn
from components.predictions.terms import Array
from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.distributions.noise import unseen_noise
from components.statistics_view.distributions.wording import format_share
from pipeline.config.base import dotted

SETTING = "far_values_share"


@dataclass(frozen=True)
class NearRange:
    """The range of the reference, and the same width again on both sides."""

    low: float
    high: float

    @classmethod
    def of(cls, before: ColumnSummary | None) -> NearRange | None:
        """Returns the range of a number; None for other columns and for a single value."""
        if before is None or before.low is None or before.high is None:
            return None
        return cls(before.low, before.high) if before.low < before.high else None

    @property
    def width(self) -> float:
        return self.high - self.low

    def holds(self, now: ColumnSummary) -> bool:
        """Whether no value of the column is far."""
        if now.low is None or now.high is None:
            return True
        return now.low >= self.low - self.width and now.high <= self.high + self.width

    def find_far(self, cells: pa.ChunkedArray) -> Array:
        """Returns which cells [n] are far, bool [n]; missing values are not."""
        values = cells.to_numpy().astype(float)
        far: Array = (values < self.low - self.width) | (values > self.high + self.width)
        return far


def explain_far_values(
    inputs: GateInputs, read_column: ReadColumn
) -> Iterator[tuple[str, tuple[str, ...], Explanation]]:
    """Yields column, splits and explanation of each column with too many far values.

    Reads the rows of a column only if its least or greatest value is far.
    """
    for name, now in sorted(inputs.columns.items()):
        before = inputs.reference_columns.get(name)
        near = NearRange.of(before)
        if before is None or near is None or near.holds(now) or not inputs.rules.is_compared(name):
            continue
        far = {split: near.find_far(read_column(split, name)) for split in inputs.statistics}
        splits = tuple(split for split, rows in far.items() if rows.any())
        share = sum(int(rows.sum()) for rows in far.values()) / max(1, now.present)
        explanation = _explain(inputs, before, now, near, share)
        if explanation is not None:
            yield name, splits, explanation


def _explain(
    inputs: GateInputs, before: ColumnSummary, now: ColumnSummary, near: NearRange, share: float
) -> Explanation | None:
    """Returns None if no more values are far than are tolerated or than chance explains."""
    key, tolerated = _find_tolerance(inputs, now.name)
    noise = unseen_noise(before.present)
    if share <= tolerated + noise:
        return None
    return Explanation(
        problem=f"{format_share(share)} of the values of '{now.name}' lie far outside the range of "
        f"the data of {inputs.served}",
        expected=f"{near.low:g} to {near.high:g}, or at most {near.width:g} beyond, which is the "
        f"width of this range; others at most {format_share(tolerated + noise)}: "
        f"{format_share(tolerated)} by `{key}`, and {format_share(noise)} that "
        f"{before.present:,} known rows may lack by chance",
        found=f"{now.low:g} to {now.high:g}",
        settings={SETTING: round_up_share(share)},
        against=inputs.served,
    )


def _find_tolerance(inputs: GateInputs, column: str) -> tuple[str, float]:
    """Returns the configuration key of the tolerated share, and the share."""
    validation = inputs.rules.validation
    own = validation.column(column).far_values_share
    if own is None:
        return f"validation.{SETTING}", validation.far_values_share
    return dotted(("validation", "columns", column, SETTING)), own


def is_far(cells: pa.ChunkedArray, before: ColumnSummary | None) -> Array | None:
    """Returns which cells [n] are far from the reference; None if no number is compared."""
    near = NearRange.of(before)
    if near is None or pa.types.is_large_binary(cells.type):
        return None
    return near.find_far(cells)
