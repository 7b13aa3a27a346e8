"""Findings say since when and in which rows."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from deliveries import FARE, PAY, SCHEMA, ZIP, check_inputs, read, table

from components.anomaly_gate.locating.place_settings import PlaceSettings
from components.anomaly_gate.locating.places import Table, locate_findings
from components.findings.findings import Findings
from pipeline.core.events import Finding

HOUR = 3_600
TIMED = PlaceSettings(time="when", time_format="epoch_seconds")


def deliver() -> pd.DataFrame:
    """Returns ten days; from row 400 on, four days after the first one, columns are broken."""
    data = table(1000, seed=1)
    data["when"] = 1_728_000_000 + np.arange(1000) * 864
    data["order"] = [f"A{7 * row}" for row in range(1000)]
    late = data.index >= 400
    data.loc[late & (data.index % 2 == 0), PAY] = "Crypto"
    data.loc[late, FARE] = data.loc[late, FARE] * 1000
    data.loc[late, "tip"] = np.nan
    return data


def locate(data: pd.DataFrame, settings: PlaceSettings, **sections: Any) -> list[Finding]:
    before = table().assign(order="A0")
    findings, inputs = check_inputs(data, before, **sections)
    rows = Table(inputs, settings, functools.partial(read, data))
    return list(locate_findings(findings, rows).findings)


@pytest.fixture(scope="module")
def found() -> dict[tuple[str | None, str], Finding]:
    return {(f.column, f.kind): f for f in locate(deliver(), TIMED)}


def test_a_new_category_began_with_its_first_row(found: dict[Any, Finding]) -> None:
    assert found[PAY, "new_category"].since == "2024-10-08"
    assert found[PAY, "new_category"].rows[:2] == ("order A2800: Crypto", "order A2814: Crypto")


def test_missing_values_and_drift_began_on_the_day_of_the_fault(found: dict[Any, Finding]) -> None:
    assert found["tip", "missing_values"].since == "the day 2024-10-08"
    assert found[FARE, "drift"].since == "the day 2024-10-08"
    assert len(found["tip", "missing_values"].rows) == 5
    assert found[FARE, "drift"].rows == (), "after drift, no single row is wrong"


def test_without_a_key_a_row_has_its_split_and_number() -> None:
    data = deliver().drop(columns="order")
    data[ZIP] = 1
    [new] = [f for f in locate(data, PlaceSettings()) if f.kind == "new_category"]
    assert new.since == ""
    assert new.rows[0] == "row 400 of split train: Crypto"
    keyed = [f for f in locate(data, PlaceSettings(key=ZIP)) if f.kind == "new_category"]
    assert keyed[0].rows[0] == f"{ZIP} 1: Crypto"


def test_values_beyond_the_range_are_shown_with_their_rows() -> None:
    data = deliver()
    findings = locate(data, TIMED, in_git=SCHEMA)
    [beyond] = [f for f in findings if f.kind == "out_of_range"]
    first = int(np.flatnonzero(data[FARE] > 20)[0])
    assert beyond.rows[0] == f"order A{7 * first}: {data[FARE][first]:g}"


def test_rows_that_cannot_be_read_leave_the_findings() -> None:
    def broken(split: str, name: str) -> pa.ChunkedArray:
        raise OSError("the disk is gone")

    findings, inputs = check_inputs(deliver(), table())
    assert locate_findings(findings, Table(inputs, TIMED, broken)) == findings
    assert isinstance(findings, Findings)
