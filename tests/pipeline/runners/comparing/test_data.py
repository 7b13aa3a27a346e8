"""The columns of two tables lie as far apart as the data gate says."""

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from recorded_runs import Recorded
from tensorflow_metadata.proto.v0 import schema_pb2

from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.missing_values import explain_missing_values
from components.statistics_view.distributions.distances import measure_distances
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import Reference
from pipeline.config import LabelConfig, SchemaConfig, ValidationConfig
from pipeline.core.contracts import Node
from pipeline.runners.comparing.data import DriftRules, TrainingData, compare_columns
from pipeline.runners.comparing.pair import Pair
from pipeline.runners.reporting.gather import gather_report

RULES = DriftRules(
    {
        "price": {"jensen_shannon_divergence": 0.05},
        "color": {"infinity_norm": 0.1},
        "bought": {"infinity_norm": 0.1},
    },
    missing_values_rise=0.1,
)


def data_of(recorded: Recorded, kind: str) -> TrainingData:
    artifacts = gather_report(recorded.workspace, recorded.names[kind]).lineage.artifacts
    [uri] = [a.uri for a in artifacts if a.producer == Node.STATISTICS_GEN]
    return TrainingData.read(uri)


def table(**columns: object) -> TrainingData:
    return TrainingData(
        {"train": tfdv.generate_statistics_from_dataframe(pd.DataFrame(columns)).datasets[0]}
    )


def test_the_columns_for_which_the_gate_stopped_a_run_come_first(recorded: Recorded) -> None:
    columns = compare_columns(
        Pair("retrained", "stopped").map(lambda kind: data_of(recorded, kind)), RULES
    )
    far = {c.name for c in columns if c.judgement == "drift"}
    drift = {
        finding.column
        for finding in gather_report(recorded.workspace, recorded.names["stopped"]).data.findings
        if finding.kind == "drift"
    }
    assert drift
    assert far == drift
    assert columns[0].name in far


def test_distances_and_limits_are_those_of_the_gate(recorded: Recorded) -> None:
    data = Pair("retrained", "stopped").map(lambda kind: data_of(recorded, kind))
    found = measure_distances(data.after.train, data.before.train, RULES.thresholds, 1e-3)
    columns = {c.name: c.distance for c in compare_columns(data, RULES)}
    assert {d.column for d in found} == set(columns)
    for distance in found:
        measured = columns[distance.column]
        assert measured
        assert measured.value == pytest.approx(distance.value, abs=1e-6)
        assert measured.limit == pytest.approx(distance.limit)


def test_a_column_that_the_gate_does_not_compare_is_not_judged(recorded: Recorded) -> None:
    data = Pair("retrained", "stopped").map(lambda kind: data_of(recorded, kind))
    rules = DriftRules({"color": {"infinity_norm": 0.1}}, missing_values_rise=0.1)
    columns = {c.name: c for c in compare_columns(data, rules)}
    assert columns["price"].judgement == "not judged"
    assert columns["price"].distance
    assert columns["price"].distance.value > 0.5
    assert columns["color"].judgement == "within the limits"


def gate_finds_missing(data: Pair[TrainingData]) -> bool:
    """Whether the gate refuses `data.after` for the missing values of column a."""
    rules = GateRules.of(
        {"a": "numeric"}, LabelConfig(column="b", task="regression"), SchemaConfig(),
        ValidationConfig(),
    )  # fmt: skip
    reference = Reference("1", schema_pb2.Schema(), dict(data.before.splits))
    inputs = GateInputs(dict(data.after.splits), schema_pb2.Schema(), reference, rules)
    return explain_missing_values(inputs, "a") is not None


@pytest.mark.parametrize(("rows", "gone"), [(2000, 280), (2000, 360), (200, 28), (200, 80)])
def test_missing_values_are_judged_as_the_gate_judges_them(rows: int, gone: int) -> None:
    numbers = np.arange(float(rows))
    before = table(a=np.where(numbers < 0.02 * rows, np.nan, numbers), b=numbers)
    data = Pair(before, table(a=np.where(numbers < gone, np.nan, numbers), b=numbers))
    rules = DriftRules(
        {"a": {"jensen_shannon_divergence": 0.9}}, ValidationConfig().missing_values_rise
    )
    [column] = [c for c in compare_columns(data, rules) if c.name == "a"]
    assert (column.judgement == "more missing values") == gate_finds_missing(data)
    assert column.missing_limit
    assert (column.missing_after, column.missing_limit > 0.12) == (gone / rows, True)


def test_columns_that_cannot_be_compared_say_why_and_come_first() -> None:
    numbers = np.arange(100.0)
    before = table(a=numbers, gone=numbers, typed=numbers, empty=numbers)
    after = table(a=numbers, new=numbers, typed=["x"] * 100, empty=[None] * 100)
    columns = compare_columns(Pair(before, after), RULES)
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
    assert {c.name for c in columns if c.judgement == "more missing values"} == {"empty"}
