"""From tables to findings: severity, order and what is left out."""

from __future__ import annotations

import pytest
from deliveries import PAY, change, check, only, table


@pytest.mark.parametrize("rows", [100, 1000])
def test_a_first_run_has_no_findings_and_is_checked_against_itself(rows: int) -> None:
    findings = check(table(rows), None)
    assert findings.findings == ()
    assert findings.checked_against == "itself (first run)"


def test_good_data_has_no_findings_against_the_served_model() -> None:
    findings = check(table(seed=1), table())
    assert findings.findings == ()
    assert findings.checked_against == "the served model 7"


@pytest.mark.parametrize("seed", range(20))
def test_chance_does_not_stop_a_small_table(seed: int) -> None:
    assert check(table(200, seed=2 * seed), table(200, seed=2 * seed + 1)).stopping == ()


def test_a_kind_of_severity_ignore_is_left_out() -> None:
    data = table(seed=1).assign(extra="x")
    severity = {"severity": {"new_column": "ignore"}}
    assert check(data, table(), validation=severity).findings == ()


def test_a_column_has_severities_of_its_own() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto")
    for column, severity in ((PAY, "warn"), ("tip", "stop")):
        own = {"columns": {column: {"severity": {"new_category": "warn"}}}}
        found = only(check(data, table(), validation=own))
        assert (found.column, found.severity) == (PAY, severity)
