"""Distances are those that the gate judges by."""

from __future__ import annotations

import pytest
from deliveries import FARE, PAY, ZIP, change, check, only, table
from tables import make_inputs

from components.data_figures.distances import measure_drift, measure_skew


def test_a_column_that_the_gate_finds_is_beyond_its_limit() -> None:
    data = change(slice(0, None, 2), PAY, "App")
    drift = measure_drift(make_inputs(data, table()))
    assert {c for c, d in drift.items() if d.value > d.limit} == {only(check(data, table())).column}
    assert drift[PAY].measure == "infinity_norm"
    assert drift[PAY].limit > drift[PAY].threshold == 0.1


def test_skew_is_measured_for_each_other_split() -> None:
    data = table()
    data.loc[data.index >= 900, PAY] = "App"
    skew = measure_skew(make_inputs(data))
    assert set(skew) == {FARE, PAY, ZIP, "y"}
    assert set(skew[PAY]) == {"eval", "test"}
    assert skew[PAY]["test"].value > skew[PAY]["test"].limit
    assert skew[PAY]["eval"].value < skew[PAY]["eval"].limit
    assert skew[FARE]["eval"].measure == "jensen_shannon_divergence"


def test_there_is_no_drift_without_a_served_model() -> None:
    assert measure_drift(make_inputs(table())) == {}


def test_an_unchanged_table_has_not_drifted() -> None:
    drift = measure_drift(make_inputs(table(), table()))
    assert [d.value for d in drift.values()] == pytest.approx([0] * 4)
