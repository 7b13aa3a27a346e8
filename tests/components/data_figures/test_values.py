"""The most frequent values of all samples are listed."""

from __future__ import annotations

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv

from components.data_figures.values import share_values


def statistics(values: list[str | None]) -> object:
    frame = pd.DataFrame({"a": values})
    return tfdv.generate_statistics_from_dataframe(frame).datasets[0].features[0]


def test_shares_are_among_the_rows_that_have_a_value() -> None:
    found = share_values({"train": statistics(["a", "a", "b", None]), "eval": statistics(["c"])})
    assert found.values == ("c", "a", "b")
    assert found.shares["train"] == pytest.approx((0, 2 / 3, 1 / 3))
    assert found.shares["eval"] == (1, 0, 0)
    assert found.other == pytest.approx({"train": 0, "eval": 0})


def test_rare_values_are_summed_up() -> None:
    found = share_values({"train": statistics([f"v{i}" for i in range(100)])})
    assert len(found.values) == 20
    assert found.other["train"] == pytest.approx(0.8)


def test_a_column_without_values_has_none() -> None:
    assert share_values({}) is None
