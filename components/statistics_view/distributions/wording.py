"""Writes distances as text. The gate, the figures and the page use the same words and rounding.

Imports nothing heavy: the command line reads it.
"""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.core.text import percent

MEASURE_NAMES: Mapping[str, str] = {
    "jensen_shannon_divergence": "Jensen-Shannon divergence",
    "infinity_norm": "L-infinity distance",
}
MEANINGS: Mapping[str, str] = {
    "jensen_shannon_divergence": "0 means equal, 1 nothing in common",
    "infinity_norm": "the greatest difference between a value's shares in the two samples",
}


def format_distance(value: float) -> str:
    """Returns a distance, a limit or a part of a limit with three digits."""
    return f"{value:.3g}"


def format_ratio(value: float, limit: float) -> str:
    """Returns how much of the limit a distance takes: `80 % of` or `3.1 times`."""
    if value <= limit:
        return f"{percent(value / limit if limit else 0.0)} of"
    return f"{value / limit:.3g} times" if limit else "more than"


def describe_distance(value: float, limit: float) -> str:
    """Returns a distance and what is allowed: `0.161, allowed are 0.0526`."""
    return f"{format_distance(value)}, allowed are {format_distance(limit)}"


def format_share(share: float) -> str:
    """Returns a share with three digits: a finding compares it with a limit that may be close."""
    return percent(share, digits=3)
