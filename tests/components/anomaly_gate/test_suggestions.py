"""The suggested way to accept a finding accepts this finding and no other one."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
import pandas as pd
import pytest
from deliveries import FARE, PAY, SCHEMA, ZIP, change, check, config, only, table

from components.findings.findings import Findings
from pipeline.config.load import override
from pipeline.core.events import Finding
from pipeline.terminal.acceptance import find_options


def accept(found: Finding, now: pd.DataFrame, **sections: Any) -> Findings:
    """Returns what the gate finds when the user takes the suggested options."""
    assignments = [option for option in find_options(found.accept) if option != "--set"]
    assert assignments, found.accept
    validation = override(config().model_dump_json(by_alias=True), assignments).validation
    return check(now, table(), validation=validation.model_dump(), **sections)


def break_everything() -> pd.DataFrame:
    data = change(slice(0, None, 5), PAY, "Crypto (ü)")
    data[FARE] = data[FARE] * 10
    data.loc[data.index % 3 == 0, "tip"] = np.nan
    return data.assign(extra="x", **{ZIP: lambda t: t[ZIP].astype(str) + " n/k"})


def test_each_finding_has_a_command_of_its_own_that_removes_it_alone() -> None:
    data = break_everything()
    findings = check(data, table()).findings
    kinds = {(f.column, f.kind) for f in findings}
    assert kinds >= {
        (PAY, "new_category"), (PAY, "drift"), (FARE, "drift"), ("tip", "missing_values"),
        (ZIP, "wrong_type"), ("extra", "new_column"),
    }  # fmt: skip
    assert len({f.accept for f in findings}) == len(findings)
    assert "schema.reference" not in "".join(f.accept for f in findings)
    for found in findings:
        left = {(f.column, f.kind) for f in accept(found, data).findings}
        assert left == kinds - {(found.column, found.kind)}, found.accept


def test_the_accepted_values_are_those_that_were_found() -> None:
    found = only(check(change(slice(0, None, 30), PAY, "Crypto"), table()))
    assert find_options(found.accept)[1] == f'validation.columns.{PAY}.values=["Crypto"]'
    other = change(slice(0, None, 30), PAY, "Barter")
    assert accept(found, other).findings[0].examples == ("Barter",)


def test_many_new_values_are_accepted_by_their_share() -> None:
    data = table(seed=1)
    data.loc[::30, PAY] = [f"new {n}" for n in range(len(data.loc[::30]))]
    found = only(check(data, table()))
    assert "new_category_share=0.034" in found.accept
    assert accept(found, data).findings == ()


def test_a_greater_drift_than_the_accepted_one_stops() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 2})
    found = only(check(data, table()))
    assert accept(found, data).findings == ()
    worse = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 10})
    assert {f.kind for f in accept(found, worse).findings} == {"drift", "far_values"}


def test_a_dropped_column_is_accepted_alone() -> None:
    dropped = only(check(table(seed=1).drop(columns=FARE), table()))
    assert dropped.accept.startswith("take it out of features; then `--set ")
    features = {PAY: "categorical", ZIP: "categorical"}
    both = table(seed=1).drop(columns=[FARE, "tip"])
    left = accept(dropped, both, features=features).findings
    assert [(f.column, f.kind) for f in left] == [("tip", "missing_column")]


def test_a_range_is_widened_to_the_found_values() -> None:
    data = table(seed=1).assign(tip=0.5)
    findings = check(data, None, in_git=SCHEMA).findings
    [found] = [f for f in findings if f.kind == "out_of_range"]
    assert found.accept.startswith("widen its range in my.pbtxt, or `--set ")
    greatest = data[FARE].max()
    setting = found.accept.partition("maximum=")[2].rstrip("'`")
    assert float(setting) == pytest.approx(greatest)
    own = {FARE: {"maximum": float(setting)}}
    widened = check(data, None, in_git=SCHEMA, validation={"columns": own}).findings
    assert {f.kind for f in findings} - {f.kind for f in widened} == {"out_of_range"}


def test_integers_in_place_of_floats_suggest_a_type() -> None:
    data = table(seed=1).assign(tip=lambda t: np.arange(len(t)))
    found = only(check(data, table().assign(tip=0.5)))
    assert found.accept == "`--set data.types.tip=float`"
    tips = {"tip": "tip (in $.)"}
    found = only(check(data.rename(columns=tips), table().assign(tip=0.5).rename(columns=tips)))
    assert found.accept == """`--set 'data.types."tip (in $.)"=float'`"""


def test_infinite_values_are_accepted_in_their_column_only() -> None:
    infinite = table(seed=1)
    infinite.loc[3, FARE] = np.inf
    found = only(check(infinite, table()))
    options = shlex.join(["--set", f"validation.columns.{FARE}.severity.out_of_range=warn"])
    assert found.accept == f"`{options}`"
    warned = only(accept(found, infinite))
    assert (warned.severity, re.findall("=(.*)'", warned.accept)) == ("warn", ["ignore"])
    assert accept(warned, infinite).findings == ()


def test_a_setting_that_leaves_the_served_model_out_finds_nothing() -> None:
    assert check(break_everything(), table(), schema={"reference": "none"}).findings == ()
