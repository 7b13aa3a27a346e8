"""What needs attention weighs more."""

from __future__ import annotations

import dataclasses

import pytest

from components.data_figures.attention import Signs, score_attention
from components.data_figures.figures import Distance

QUIET = Signs(
    role="feature",
    findings=(),
    missing={"train": 0.0, "served": 0.0},
    rows={"train": 80, "test": 20},
    distinct=2,
    drift=None,
    skew={},
    with_label=0.1,
    tolerated_rise=0.05,
)


def distance(value: float, limit: float) -> Distance:
    return Distance("infinity_norm", value, limit, limit)


def test_a_quiet_column_needs_none() -> None:
    assert score_attention(QUIET) == (0.0, ())


@pytest.mark.parametrize(
    ("change", "attention", "words"),
    [
        ({"drift": distance(0.05, 0.1)}, 0.5, "moved 50 %"),
        ({"drift": distance(0.1606, 0.0526)}, 0.99, "moved 3.05 times the allowed distance"),
        ({"drift": distance(0.1606, 0.0526)}, 0.99, "0.161, allowed are 0.0526"),
        ({"drift": distance(0, 0)}, 0.0, None),
        ({"skew": {"test": distance(0.08, 0.1)}}, 0.4, "split test"),
        ({"missing": {"train": 0.04, "served": 0.0}}, 0.8, "risen from 0 %"),
        ({"missing": {"train": 0.6, "served": 0.6}}, 0.3, "60 % of the values are missing"),
        ({"missing": {"train": 0.5, "test": 1.0}}, 0.3, "60 % of the values are missing"),
        ({"missing": {"train": 0.3548, "served": 0.3}}, 0.99, "from 30 % in the served model's"),
        ({"missing": {"train": 0.3548, "served": 0.3}}, 0.99, "to 35.5 %"),
        ({"missing": {"train": 1.0}, "distinct": None}, 0.95, "no value"),
        ({"distinct": 1}, 0.6, "same value"),
        ({"with_label": 0.97}, 0.97, "made from the label"),
    ],
)
def test_a_signal_has_its_weight_and_sentence(
    change: dict[str, object], attention: float, words: str | None
) -> None:
    found, reasons = score_attention(dataclasses.replace(QUIET, **change))
    assert found == pytest.approx(attention)
    assert (words in reasons[0]) if words else reasons == ()


def test_the_label_and_other_columns_may_be_constant() -> None:
    for role in ("label", "other", "weight"):
        assert score_attention(dataclasses.replace(QUIET, role=role, distinct=1))[0] == 0
