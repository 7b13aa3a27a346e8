"""The columns of two tables lie as far apart as the data gate says."""

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from recorded_runs import Recorded

from components.statistics_view.distributions.distances import measure_distances
from pipeline.config import ValidationConfig
from pipeline.core.contracts import Node
from pipeline.runners.comparing.data import (
    Statistics,
    compare_columns,
    read_train_statistics,
)
from pipeline.runners.reporting.gather import gather_report


def statistics_of(recorded: Recorded, kind: str) -> Statistics:
    artifacts = gather_report(recorded.workspace, recorded.names[kind]).lineage.artifacts
    [uri] = [a.uri for a in artifacts if a.producer == Node.STATISTICS_GEN]
    return read_train_statistics(uri)


def table(**columns: object) -> Statistics:
    return tfdv.generate_statistics_from_dataframe(pd.DataFrame(columns)).datasets[0]


def test_the_columns_for_which_the_gate_stopped_a_run_come_first(recorded: Recorded) -> None:
    before, after = (statistics_of(recorded, kind) for kind in ("retrained", "stopped"))
    columns = compare_columns(before, after, ValidationConfig())
    far = {c.name for c in columns if c.distance and c.distance.value > c.distance.limit}
    drift = {
        finding.column
        for finding in gather_report(recorded.workspace, recorded.names["stopped"]).data.findings
        if finding.kind == "drift"
    }
    assert drift
    assert far == drift
    assert columns[0].name in far


def test_distances_and_limits_are_those_of_the_gate(recorded: Recorded) -> None:
    before, after = (statistics_of(recorded, kind) for kind in ("retrained", "stopped"))
    thresholds = {
        "price": {"jensen_shannon_divergence": 0.05},
        "color": {"infinity_norm": 0.1},
        "bought": {"infinity_norm": 0.1},
    }
    found = {d.column: d for d in measure_distances(after, before, thresholds, 1e-3)}
    columns = {c.name: c.distance for c in compare_columns(before, after, ValidationConfig())}
    assert set(found) == set(columns)
    for name, distance in found.items():
        measured = columns[name]
        assert measured
        assert measured.value == pytest.approx(distance.value, abs=1e-6)
        assert measured.limit == pytest.approx(distance.limit)


def test_columns_that_cannot_be_compared_say_why_and_come_first() -> None:
    numbers = np.arange(100.0)
    before = table(a=numbers, gone=numbers, typed=numbers, empty=numbers)
    after = table(a=numbers, new=numbers, typed=["x"] * 100, empty=[None] * 100)
    columns = compare_columns(before, after, ValidationConfig())
    assert columns[-1].name == "a"
    notes = {c.name: c.note for c in columns}
    assert notes == {
        "a": "",
        "gone": "only the table before has the column",
        "new": "only the table after has the column",
        "typed": "the column changed its type",
        "empty": "one of the tables has no value of the column",
    }
    shares = {c.name: (c.missing_before, c.missing_after) for c in columns}
    assert shares["gone"] == (0.0, None)
    assert shares["empty"] == (0.0, 1.0)
