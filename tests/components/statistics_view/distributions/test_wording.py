"""Distances have one wording, whatever shows them."""

from __future__ import annotations

import pytest

from components.statistics_view.distributions.wording import (
    describe_distance,
    format_distance,
    format_ratio,
    format_share,
)


@pytest.mark.parametrize(
    ("value", "limit", "words"),
    [
        (0.1606, 0.0526, "3.05 times"),
        (0.05, 0.1, "50 % of"),
        (0.1, 0.1, "100 % of"),
        (0.0, 0.0, "0 % of"),
        (0.1, 0.0, "more than"),
    ],
)
def test_a_distance_is_related_to_its_limit(value: float, limit: float, words: str) -> None:
    assert format_ratio(value, limit) == words


def test_distance_and_limit_are_rounded_alike() -> None:
    assert describe_distance(0.16061, 0.052649) == "0.161, allowed are 0.0526"
    assert format_distance(0.16061) in describe_distance(0.16061, 1)
    assert format_share(0.3548) == "35.5 %"
