"""A rise of missing values is found over all splits."""

from __future__ import annotations

import functools

import numpy as np
from deliveries import (
    FARE,
    PAY,
    SCHEMA,
    check,
    config,
    curated,
    gate_rules,
    only,
    read,
    splits,
    table,
)

from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.report import make_findings


def test_a_rise_of_missing_values_stops() -> None:
    data = table(seed=1)
    data.loc[data.index % 5 < 2, FARE] = np.nan
    found = only(check(data, table()))
    assert (found.kind, found.severity) == ("missing_values", "stop")
    assert found.found == "40 % (400 of 1000 rows)"
    assert "0 % in the data of the served model 7, 10 % more by `validation." in found.expected
    assert "that chance explains in 1,000 and 1,000 rows" in found.expected
    assert check(data, table(), validation={"missing_values_rise": 0.4}).findings == ()


def test_a_column_without_any_value_stops() -> None:
    data = table().assign(tip=lambda t: t["tip"].where(t.index % 50 == 0))
    found = only(check(data.assign(tip=np.nan), data))
    assert (found.kind, found.column) == ("missing_values", "tip")
    assert found.expected == "some values"
    once = data.assign(tip=lambda t: t["tip"].where(t.index == 50))
    assert check(data.assign(tip=np.nan), once).findings == ()


def test_nan_counts_as_missing_in_a_schema_from_git() -> None:
    data = table(seed=1).assign(**{PAY: "Cash"})
    data[FARE] = data[FARE].clip(0, 20)
    settings = config(schema={"path": "my.pbtxt"})
    statistics = splits(data, settings)
    for part in statistics.values():
        fare = next(f for f in part.features if f.path.step[0] == FARE)
        fare.num_stats.histograms[0].num_nan = 10
    schema = curated(statistics, None, settings, SCHEMA)
    inputs = GateInputs(statistics, schema, None, gate_rules(settings))
    found = only(make_findings(inputs, {}, functools.partial(read, data)))
    assert (found.kind, found.found) == ("missing_values", "3 % (30 of 1000 rows)")


def test_the_last_of_few_values_may_be_missing_by_chance() -> None:
    """A column with 7 values is empty by chance in one table of 1,100, with 10 in one of 23,000."""
    for values, kinds in ((7, []), (10, ["missing_values"])):
        data = table().assign(tip=lambda t, n=values: t["tip"].fillna(1).where(t.index < n))
        found = check(data.assign(tip=np.nan), data).findings
        assert [one.kind for one in found] == kinds


def test_what_is_missing_in_a_new_column_is_no_rise() -> None:
    for extra in ([np.nan, 1.0] * 500, np.nan):
        found = only(check(table(seed=1).assign(extra=extra), table()))
        assert (found.kind, found.column) == ("new_column", "extra")


def test_a_column_that_was_always_empty_may_stay_empty() -> None:
    data = table(seed=1).assign(tip=np.nan)
    before = table().assign(tip=np.nan)
    assert check(data, before, validation={"missing_values_rise": 0.0}).findings == ()


def test_the_tolerance_of_a_column_replaces_that_of_all() -> None:
    data = table(seed=1)
    data.loc[data.index % 5 < 2, FARE] = np.nan
    own = {"columns": {FARE: {"missing_values_rise": 0.4}}}
    assert check(data, table(), validation=own).findings == ()
    own["columns"][FARE]["missing_values_rise"] = 0.3
    found = only(check(data, table(), validation={"missing_values_rise": 0.9, **own}))
    assert "30 % more by `validation.columns.fare (€).missing_values_rise`" in found.expected


def test_a_label_without_a_value_stops_although_other_columns_may_lack_some() -> None:
    data = table(seed=1)
    data.loc[:2, ["y", PAY]] = None
    found = only(check(data, table()))
    assert (found.kind, found.column, found.severity) == ("missing_values", "y", "stop")


def test_the_presence_that_a_person_wrote_is_required_and_no_more() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE].clip(0, 20), PAY: "Cash"})
    data.loc[data.index < 100, FARE] = np.nan
    passed = SCHEMA.replace("min_examples_count: 200", "min_examples_count: 100")
    rules = {
        "min_fraction: 0.9": [],
        "min_fraction: 0.95": ["at most 5 %"],
        "min_count: 900": [],
        "min_count: 901": ["at least 901 values"],
        "min_fraction: 0.9 min_count: 901": ["at least 901 values"],
    }
    for rule, expected in rules.items():
        found = check(data, None, in_git=passed.replace("min_fraction: 1", rule)).findings
        assert [one.expected for one in found] == expected
