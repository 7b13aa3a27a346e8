"""A mistake of the unit in few rows is found, and a rare great value is none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from deliveries import FARE, check, config, only, table

from components.anomaly_gate.far_values import NearRange, is_far
from components.statistics_view.column_summary import ColumnSummary


def deliver(share: float, factor: float) -> pd.DataFrame:
    """Returns a delivery in which a share of the fares is multiplied."""
    data = table(seed=1)
    wrong = data.index % 100 < 100 * share
    data.loc[wrong, FARE] = data.loc[wrong, FARE].clip(lower=5) * factor
    return data


def test_a_wrong_unit_in_three_rows_of_a_hundred_stops_and_can_be_accepted() -> None:
    data, before = deliver(0.03, 100), table()
    found = only(check(data, before))
    assert (found.column, found.kind, found.severity) == (FARE, "far_values", "stop")
    assert found.problem.startswith("3 % of the values of 'fare (€)' lie far outside the range")
    assert "1 % by `validation.far_values_share`" in found.expected
    assert set(found.splits) == {"train", "eval", "test"}
    assert "columns.fare (€).far_values_share=0.03" in found.accept
    accepted = {"columns": {FARE: {"far_values_share": 0.03}}}
    assert check(data, before, validation=accepted).findings == ()


def test_few_far_values_and_values_beyond_the_range_are_usual() -> None:
    before = table()
    assert check(deliver(0.01, 100), before).findings == ()
    width = before[FARE].max() - before[FARE].min()
    data = table(seed=1)
    data.loc[data.index % 50 == 0, FARE] = before[FARE].max() + 0.99 * width
    assert [f for f in check(data, before).findings if f.kind == "far_values"] == []


def test_times_and_first_runs_have_no_range() -> None:
    data = table(seed=1).assign(when=np.arange(1000) * 1000.0)
    assert [f for f in check(data, table()).findings if f.kind == "far_values"] == []
    assert check(deliver(0.03, 100), None).findings == ()


@pytest.mark.parametrize(("low", "high"), [(None, None), (2.0, 2.0)])
def test_texts_and_constants_have_no_range(low: float | None, high: float | None) -> None:
    summary = ColumnSummary("a", 1, 10, 0, low=low, high=high)
    assert NearRange.of(summary) is None
    assert is_far(pa.chunked_array([[1.0]]), summary) is None


def test_far_cells_are_told_and_missing_ones_are_not_far() -> None:
    summary = ColumnSummary("a", 1, 10, 0, low=0.0, high=10.0)
    cells = pa.chunked_array([pa.array([5.0, None, 20.0, -10.0, 20.1, -10.1, -np.inf])])
    far = is_far(cells, summary)
    assert far is not None
    assert far.tolist() == [False, False, False, False, True, True, True]


def test_numbers_that_became_text_are_of_another_type_and_not_far() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE].map("{:.2f} EUR".format)})
    found = only(check(data, table()))
    assert (found.kind, found.column) == ("wrong_type", FARE)


def test_far_values_are_a_share_of_the_values_and_not_of_the_rows() -> None:
    """Without a value in three rows of ten, 1.4 % of the rows are 2 % of the values."""
    features = config().features | {"tip": {"kind": "numeric"}}
    data, present = table(seed=1), table(seed=1)["tip"].dropna().index
    for count, kinds in ((8, []), (14, ["far_values"])):
        now = data.copy()
        now.loc[present[-count:], "tip"] = 1000.0
        findings = check(now, table(), features=features, validation={"numeric_drift": 1}).findings
        assert [one.kind for one in findings if one.column == "tip"] == kinds
        assert all(one.splits == ("test",) for one in findings if one.kind == "far_values")
