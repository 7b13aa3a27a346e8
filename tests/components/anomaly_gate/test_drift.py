"""Drift against the served data and skew between splits are found."""

from __future__ import annotations

import numpy as np
from deliveries import FARE, PAY, SCHEMA, ZIP, change, check, config, only, table

from components.statistics_view.distributions.noise import FALSE_ALARMS, share_noise
from components.statistics_view.distributions.wording import format_distance


def test_a_shifted_range_stops() -> None:
    found = only(check(table(seed=1).assign(**{FARE: lambda t: t[FARE] * 2}), table()))
    assert (found.kind, found.column, found.severity) == ("drift", FARE, "stop")
    assert "median" in found.found
    assert found.against == "the served model 7"


def test_a_changed_majority_stops() -> None:
    found = only(check(change(slice(0, None, 2), PAY, "App"), table()))
    assert (found.kind, found.column) == ("drift", PAY)
    assert found.found.split("; ")[1].startswith("'App' ")
    assert found.found.count("'App'") == 1
    assert found.examples == ()


def test_two_swapped_codes_stop_although_their_mean_hardly_changes() -> None:
    codes = np.random.default_rng(0).choice([1, 2, 3], 4000, p=[0.34, 0.16, 0.5])
    swapped = np.select([codes == 1, codes == 2], [2, 1], codes)
    before, now = (table(4000).assign(**{ZIP: column}) for column in (codes, swapped))
    found = only(check(now, before))
    assert (found.kind, found.column) == ("drift", ZIP)
    assert found.expected.startswith("an L-infinity distance (the greatest difference")
    assert ": 0.1 by `validation.categorical_drift`, and " in found.expected
    assert "that chance explains in 3,200 and 3,200 rows" in found.expected
    assert "'1' 3" in found.found
    assert "'2' 1" in found.found
    as_numbers = config().features | {ZIP: {"kind": "numeric"}}
    assert check(now, before, features=as_numbers).findings == ()


def test_time_and_columns_that_are_no_features_may_change() -> None:
    data = table(seed=1).assign(tip=lambda t: t["tip"] + 100)
    assert check(data, table()).findings == ()


def test_skew_between_the_splits_warns() -> None:
    data = table()
    data.loc[data.index >= 900, PAY] = "App"
    found = only(check(data, None))
    assert (found.kind, found.severity, found.splits) == ("skew", "warn", ("test",))
    assert found.against == "split train"


def test_a_comparator_in_git_replaces_the_tolerance_of_drift() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 10})
    strict = SCHEMA.replace("threshold: 1", "threshold: 0.01")
    for schema, drifts in ((SCHEMA, False), (strict, True)):
        findings = check(data, table(), in_git=schema).findings
        assert ("drift" in {finding.kind for finding in findings}) == drifts


def test_skew_of_all_columns_and_splits_together_has_the_false_alarms_of_a_run() -> None:
    """Eval and test are compared with train in four columns each."""
    data = table()
    data.loc[data.index >= 900, PAY] = "App"
    train = data[PAY][:800]
    pooled = [(sum(train == name) + 100 * (name == "App")) / 900 for name in set(train)]
    allowance = share_noise(pooled, 100, 800, FALSE_ALARMS / 2 / 4)
    expected = f"and {format_distance(allowance)} that chance explains in 100 and 800 rows"
    assert only(check(data, None)).expected.endswith(expected)


def test_a_column_of_one_value_has_no_drift_and_no_skew_even_if_none_is_tolerated() -> None:
    before, now = (table(seed=seed).assign(**{PAY: "Cash"}) for seed in (0, 1))
    strict = {"columns": {PAY: {"drift": 0.0, "skew": 0.0}}}
    assert check(now, before, validation=strict).findings == ()
