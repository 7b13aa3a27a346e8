"""TFDV's anomaly types map to kinds of findings."""

import pytest
from tensorflow_metadata.proto.v0 import anomalies_pb2

from components.anomaly_gate.finding_kinds import find_kind


@pytest.mark.parametrize(
    ("anomaly_type", "kind"),
    [
        ("SCHEMA_MISSING_COLUMN", "missing_column"),
        ("INT_TYPE_INT_EXPECTED", "wrong_type"),
        ("FLOAT_TYPE_HAS_INF", "out_of_range"),
        ("COMPARATOR_L_INFTY_HIGH", "other"),
    ],
)
def test_each_type_has_its_kind_and_unknown_types_are_other(anomaly_type: str, kind: str) -> None:
    number = anomalies_pb2.AnomalyInfo.Type.Value(anomaly_type)
    assert find_kind(anomalies_pb2.AnomalyInfo.Reason(type=number)) == kind
