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
