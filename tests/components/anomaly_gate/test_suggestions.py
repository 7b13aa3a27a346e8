"""Each suggested way to accept a finding leads on."""

from __future__ import annotations

import numpy as np
from deliveries import FARE, PAY, ZIP, change, check, only, table


def test_a_suggested_setting_removes_the_finding() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto")
    assert check(data, table(), validation={"new_category_share": 0.034}).findings == ()
    assert check(data, table(), schema={"reference": "none"}).findings == ()


def test_integers_in_place_of_floats_suggest_a_type() -> None:
    data = table(seed=1).assign(tip=lambda t: np.arange(len(t)))
    found = only(check(data, table().assign(tip=0.5)))
    assert found.accept.startswith("`--set data.types.tip=float`")
    tips = {"tip": "tip (in $.)"}
    found = only(check(data.rename(columns=tips), table().assign(tip=0.5).rename(columns=tips)))
    assert found.accept.startswith("""`--set 'data.types."tip (in $.)"=float'`""")


def test_only_ways_that_remove_the_finding_are_suggested() -> None:
    infinite = table(seed=1)
    infinite.loc[3, FARE] = np.inf
    assert only(check(infinite, table())).accept == "`--set validation.severity.out_of_range=warn`"
    dropped = only(check(table(seed=1).drop(columns=FARE), table()))
    assert dropped.accept.startswith("take it out of features; then run once with `--set schema.")
    features = {PAY: "categorical", ZIP: "categorical"}
    accepted = {"schema": {"reference": "none"}, "features": features}
    assert check(table(seed=1).drop(columns=FARE), table(), **accepted).stopping == ()
    assert dropped.accept.endswith(", or `--set validation.severity.missing_column=warn`")


def test_a_finding_that_only_warns_suggests_to_ignore_its_kind() -> None:
    infinite = table(seed=1)
    infinite.loc[3, FARE] = np.inf
    warned = {"severity": {"out_of_range": "warn"}}
    found = only(check(infinite, table(), validation=warned))
    assert found.accept == "`--set validation.severity.out_of_range=ignore`"
    ignored = {"severity": {"out_of_range": "ignore"}}
    assert check(infinite, table(), validation=ignored).findings == ()
