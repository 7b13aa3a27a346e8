"""The figures of one column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from deliveries import FARE, PAY, ZIP, table
from tables import make_inputs

from components.data_figures.columns import (
    DistinctNumbers,
    Measured,
    count_distinct_numbers,
    describe_column,
    find_type,
)

NOTHING = Measured({}, {}, {}, {})


def test_a_number_has_a_histogram_and_a_category_has_values() -> None:
    inputs = make_inputs(table())
    fare, pay = (describe_column(inputs, NOTHING, name, {}) for name in (FARE, PAY))
    assert (fare.type, fare.kind, fare.values, fare.distinct) == ("number", "numeric", None, None)
    assert set(fare.numbers) == set(fare.histogram.shares) == {"train", "eval", "test"}
    assert (pay.type, pay.kind, pay.histogram, pay.distinct) == ("text", "categorical", None, 3)
    assert pay.values.values == ("Cash", "Card", "App")
    assert pay.numbers == {}


def test_distinct_numbers_are_those_of_a_sample() -> None:
    counted = count_distinct_numbers(pa.chunked_array([[1.5, None, 2.5], [1.5]], pa.float32()))
    assert counted == DistinctNumbers(2, 4)
    measured = Measured({}, {}, {}, {FARE: counted, PAY: counted})
    fare, pay = (describe_column(make_inputs(table()), measured, name, {}) for name in (FARE, PAY))
    assert (fare.distinct, fare.distinct_rows) == (2, 4)
    assert (pay.distinct, pay.distinct_rows) == (3, None)


def test_codes_of_a_category_are_values() -> None:
    found = describe_column(make_inputs(table()), NOTHING, ZIP, {})
    assert (found.type, found.histogram, found.numbers) == ("integer", None, {})
    assert len(found.values.values) == 20
    assert found.distinct == 39


def test_booleans_and_integers_are_described() -> None:
    data = table().assign(flag=np.where(np.arange(1000) % 2 == 0, "true", "false"))
    inputs = make_inputs(data, features={"flag": "boolean", "when": "timestamp"})
    flag = describe_column(inputs, NOTHING, "flag", {})
    assert flag.values.shares["train"] == pytest.approx((0.5, 0.5))
    when = describe_column(inputs, NOTHING, "when", {})
    assert (when.type, when.kind) == ("integer", "timestamp")


def test_a_column_that_was_text_before_keeps_the_samples_of_its_type() -> None:
    inputs = make_inputs(table(seed=1), table().assign(**{PAY: 1.5}))
    found = describe_column(inputs, NOTHING, PAY, {})
    assert found.type == "text"
    assert set(found.values.shares) == {"train", "eval", "test"}


def test_a_split_without_values_does_not_decide_the_type() -> None:
    data = table()
    data.loc[data.index[:800], "tip"] = np.nan
    inputs = make_inputs(data)
    assert find_type(inputs.column("tip")) == "number"
    found = describe_column(inputs, NOTHING, "tip", {})
    assert found.missing["train"] == 1
    assert "train" not in found.numbers
