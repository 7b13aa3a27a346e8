"""Numbers as the tables of the terminal show them."""

from __future__ import annotations

import math


def format_metric(value: float | None) -> str:
    """Returns a metric as a table shows it, empty for None."""
    if value is None:
        return ""
    # Undefined metrics are NaN, such as the precision of a class that is never predicted.
    if math.isnan(value):
        return "undefined"
    # Large values are errors in the label's unit, such as money: people read all their digits.
    # A float of 1e15 and more has no exact digits.
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:,.4g}"
