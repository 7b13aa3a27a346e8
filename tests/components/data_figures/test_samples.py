"""The samples of the page: the splits, and the served model's data."""

from __future__ import annotations

import numpy as np
import pytest
from deliveries import FARE, PAY, table
from tables import make_inputs


def test_the_served_data_is_the_last_sample() -> None:
    inputs = make_inputs(table(seed=1), table(500))
    assert list(inputs.samples) == ["train", "eval", "test", "served"]
    assert inputs.rows == {"train": 800, "eval": 100, "test": 100, "served": 400}
    assert list(make_inputs(table()).samples) == ["train", "eval", "test"]


def test_a_feature_that_is_gone_is_still_a_column() -> None:
    inputs = make_inputs(table(seed=1).drop(columns=[PAY, "tip"]), table())
    assert PAY in inputs.column_names
    assert "tip" not in inputs.column_names, "no feature, and so of no interest"
    assert list(inputs.column(PAY)) == ["served"]


def test_a_new_column_has_no_share_of_missing_values_in_the_served_data() -> None:
    inputs = make_inputs(table(seed=1).assign(new=1.0), table())
    assert set(inputs.missing("new")) == {"train", "eval", "test"}


def test_nan_is_missing() -> None:
    data = table()
    data.loc[data.index[:400], FARE] = np.nan
    assert make_inputs(data).missing(FARE) == pytest.approx({"train": 0.5, "eval": 0, "test": 0})


def test_each_column_has_its_role() -> None:
    label = {"column": "y", "task": "binary", "classes": ["no", "yes"], "weight_column": "tip"}
    inputs = make_inputs(table(), label=label)
    roles = [inputs.role(name) for name in ("y", "tip", FARE, "nothing")]
    assert roles == ["label", "weight", "feature", "other"]
