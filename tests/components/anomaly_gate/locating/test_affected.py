"""The rows of a finding are those that show it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from deliveries import FARE, PAY, SCHEMA, ZIP, check_inputs, table

from components.anomaly_gate.locating.affected import find_affected


def test_each_kind_has_its_rows() -> None:
    _, inputs = check_inputs(table(seed=1), table(), in_git=SCHEMA)
    pays = pa.chunked_array([pa.array([b"Cash", b"App", None], pa.large_binary())])
    fares = pa.chunked_array([pa.array([1.0, 21.0, None, np.nan, -1.0, np.inf], pa.float32())])
    cases = {
        ("new_category", PAY): (pays, [1]),
        ("missing_values", PAY): (pays, [2]),
        ("missing_values", FARE): (fares, [2, 3]),
        ("out_of_range", FARE): (fares, [1, 4, 5]),
    }
    for (kind, column), (cells, rows) in cases.items():
        found = find_affected(kind, column, cells, inputs)
        assert found is not None
        assert np.flatnonzero(found.rows).tolist() == rows, kind
        assert found.are_wrong
    assert find_affected("wrong_type", FARE, fares, inputs) is None


def test_after_drift_the_rows_have_the_values_that_became_frequent() -> None:
    before = table()
    _, inputs = check_inputs(table(seed=1), before)
    codes = pa.chunked_array([pa.array([3, 3, 3, None, 900])])
    found = find_affected("drift", ZIP, codes, inputs)
    assert found is not None
    assert found.rows.tolist() == [True, True, True, False, True]
    assert abs(found.usual - (before[ZIP][:800] == 3).mean()) < 1e-6
    high = pa.chunked_array([pa.array([500.0] * 19 + [2.0], pa.float32())])
    found = find_affected("drift", FARE, high, inputs)
    assert found is not None
    assert found.rows.tolist() == [True] * 19 + [False]
    assert not found.are_wrong
