"""Text columns get a domain only if new values are rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.domains import choose_domain, unseen_share
from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import ColumnSummary
from pipeline.config import LabelConfig

RULES = CurationRules(
    kinds={"pay": "categorical", "note": "text"},
    label=LabelConfig(column="y", task="binary", classes=("no", "yes")),
    imported=False,
    reference="served",
    max_domain=3,
    new_category_share=0.01,
    missing_values_rise=0.1,
)


def column(values: dict[str, int], distinct: int | None = None) -> ColumnSummary:
    rows = sum(values.values())
    count = len(values) if distinct is None else distinct
    return ColumnSummary("pay", schema_pb2.BYTES, rows, 0, values=values, distinct=count)


@pytest.mark.parametrize(
    ("known", "domain"),
    [
        (column({"b": 50, "a": 40}), ["a", "b"]),
        (column({}), None),
        (column(dict.fromkeys("abcd", 50)), None),
        (column({"a": 50}, distinct=2), None),
        (column({"a": 50, "__BYTES_VALUE__": 50}), None),
        (column({"a": 50, "b": 1}), None),
    ],
    ids=["few values", "no values", "too many", "cut off", "not utf-8", "often new"],
)
def test_a_domain_needs_few_readable_values_that_are_rarely_new(
    known: ColumnSummary, domain: list[str] | None
) -> None:
    assert choose_domain("pay", None, known, RULES) == domain


@pytest.mark.parametrize(
    ("name", "inherited", "domain"),
    [
        ("y", None, ["no", "yes"]),
        ("note", ["old"], None),
        ("unused", ["old"], None),
        ("pay", ["old"], ["old"]),
        ("pay", list("abcd"), ["b", "c"]),
    ],
)
def test_classes_open_kinds_and_the_served_domain_come_first(
    name: str, inherited: Any, domain: Any
) -> None:
    assert choose_domain(name, inherited, column({"b": 50, "c": 50}), RULES) == domain


def test_the_share_of_new_values_rarely_exceeds_its_bound() -> None:
    random = np.random.default_rng(0)
    weights = 1 / np.arange(1, 400) ** 1.5
    exceeded = 0
    for _ in range(300):
        seen, further = random.choice(399, (2, 2000), p=weights / weights.sum())
        values = {str(v): int(n) for v, n in zip(*np.unique(seen, return_counts=True), strict=True)}
        exceeded += np.isin(further, seen, invert=True).mean() > unseen_share(values)
    assert exceeded <= 6
    assert unseen_share({"a": 50, "b": 40}) == 0
