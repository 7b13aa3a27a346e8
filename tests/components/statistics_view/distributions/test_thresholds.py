"""The schema and the configuration say how far a column may move."""

from __future__ import annotations

from deliveries import FARE, PAY, ZIP, config, gate_rules
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.distributions.thresholds import choose_thresholds

SCHEMA = text_format.Parse(
    f"""
    feature {{ name: "{FARE}" type: FLOAT }}
    feature {{ name: "{PAY}" type: BYTES }}
    feature {{ name: "{ZIP}" type: INT }}
    feature {{ name: "tip" type: FLOAT }}
    feature {{ name: "y" type: BYTES skew_comparator {{ infinity_norm {{ threshold: 0.5 }} }} }}
    """,
    schema_pb2.Schema(),
)


def test_features_and_label_are_compared_by_the_measure_of_their_kind() -> None:
    rules = gate_rules(config(validation={"numeric_drift": 0.2, "categorical_drift": 0.3}))
    assert choose_thresholds(SCHEMA, rules, "drift_comparator") == {
        FARE: {"jensen_shannon_divergence": 0.2},
        PAY: {"infinity_norm": 0.3},
        ZIP: {"infinity_norm": 0.3},
        "y": {"infinity_norm": 0.3},
    }


def test_whole_numbers_that_are_no_codes_are_compared_by_their_histograms() -> None:
    schema = schema_pb2.Schema()
    schema.feature.add(name=FARE, type=schema_pb2.INT)
    chosen = choose_thresholds(schema, gate_rules(config()), "drift_comparator")
    assert chosen[FARE].keys() == {"jensen_shannon_divergence"}


def test_a_comparator_in_the_schema_decides_before_the_measure_of_the_kind() -> None:
    chosen = choose_thresholds(SCHEMA, gate_rules(config()), "skew_comparator")
    assert chosen["y"] == {"infinity_norm": 0.5}
    assert chosen.keys() == {FARE, PAY, ZIP, "y"}


def test_the_setting_of_a_column_decides_before_the_schema() -> None:
    columns = {"y": {"drift": 0.01, "skew": 0.02}, FARE: {"drift": 0.0}, "tip": {"drift": 0.3}}
    rules = gate_rules(config(validation={"columns": columns}))
    drift = choose_thresholds(SCHEMA, rules, "drift_comparator")
    assert (drift["y"], drift[FARE]) == ({"infinity_norm": 0.01}, {"jensen_shannon_divergence": 0})
    # No feature: nobody compares it.
    assert "tip" not in drift
    assert choose_thresholds(SCHEMA, rules, "skew_comparator")["y"] == {"infinity_norm": 0.02}


def test_a_column_without_reference_has_skew_but_no_drift() -> None:
    rules = gate_rules(config(validation={"columns": {PAY: {"reference": "none"}}}))
    assert choose_thresholds(SCHEMA, rules, "drift_comparator").keys() == {FARE, ZIP, "y"}
    assert choose_thresholds(SCHEMA, rules, "skew_comparator").keys() == {FARE, PAY, ZIP, "y"}
