"""Whether a metric meets one bound, in a sentence with value, bound and difference.

A value that is equal to the bound meets it, as TensorFlow Model Analysis judges. Imports nothing
heavy: the page of a run uses the same sentences as the Evaluator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Judgement:
    """A metric beside one bound."""

    sentence: str
    """Without a full stop."""
    margin: float
    """How far the value lies on the allowed side; negative if the bound is missed."""

    @property
    def is_met(self) -> bool:
        """Whether the value meets the bound; NaN does not."""
        return self.margin >= 0


def judge_value(
    subject: str, value: float | None, bound: float, side: Literal["at least", "at most"]
) -> Judgement:
    """Returns the judgement about a value.

    Args:
      subject: the metric, such as `auc on the whole split`.
      value: None or NaN if it cannot be computed.
    """
    asked = f"{side} {bound:.4g} was asked for"
    if value is None or math.isnan(value):
        return Judgement(f"{subject} cannot be computed, {asked}", math.nan)
    margin = value - bound if side == "at least" else bound - value
    return Judgement(f"{subject} is {value:.4g}, {asked} {_describe(margin)}", margin)


def judge_change(
    subject: str,
    value: float | None,
    served: float | None,
    allowed: float,
    *,
    higher_is_better: bool,
) -> Judgement:
    """Returns the judgement about the change against the served model.

    Args:
      served: the served model's value on the same rows.
      allowed: how much worse the value may be.
    """
    if value is None or served is None or math.isnan(value - served):
        return Judgement(f"{subject} cannot be compared with the served model's", math.nan)
    change = value - served
    words = "fell" if change < 0 else "rose"
    moved = f"{words} by {abs(change):.4g} to {value:.4g}" if change else f"stayed at {value:.4g}"
    limit = f"a {'fall' if higher_is_better else 'rise'} of {allowed:.4g} is allowed"
    margin = (change if higher_is_better else -change) + allowed
    of_served = f"against the served model's {served:.4g}"
    return Judgement(f"{subject} {moved} {of_served}, {limit} {_describe(margin)}", margin)


def _describe(margin: float) -> str:
    if not margin:
        return "(met: equal)"
    return f"({'met' if margin > 0 else 'missed'} by {abs(margin):.4g})"
