"""What the gate finds in the second delivery of a table, on real statistics and anomalies."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.anomaly_gate.executor import raise_if_stopping
from components.anomaly_gate.findings import Findings
from components.anomaly_gate.gate_inputs import GateInputs
from components.anomaly_gate.report import make_findings
from components.anomaly_gate.rules import GateRules
from components.schema_curator.curate import curate_schema
from components.schema_curator.executor import choose_base
from components.schema_curator.rules import CurationRules
from components.statistics_gen.component import build_stats_options
from components.statistics_view.column_summary import summarize_columns
from components.statistics_view.reference import Reference, Splits
from pipeline.config import Config
from pipeline.core.errors import DataError
from pipeline.core.events import Finding

FARE, PAY, ZIP = "fare (€)", "pay/type", "zip.code"


def config(**sections: Any) -> Config:
    fields: dict[str, Any] = {
        "name": "small",
        "data": {"path": "table.csv"},
        "features": {FARE: "numeric", PAY: "categorical", ZIP: "categorical", "when": "timestamp"},
        "label": {"column": "y", "task": "binary", "classes": ["no", "yes"]},
        "evaluation": {"thresholds": [{"metric": "auc", "at_least": 0.5}]},
    }
    return Config.model_validate(fields | sections)


def table(rows: int = 1000, seed: int = 0) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            FARE: random.lognormal(2, 1, rows),
            PAY: random.choice(["Cash", "Card", "App"], rows, p=[0.6, 0.3, 0.1]),
            ZIP: random.integers(1, 40, rows),
            "when": np.arange(rows) + 10_000 * seed,
            "tip": np.where(random.random(rows) < 0.3, np.nan, random.random(rows)),
            "y": random.choice(["no", "yes"], rows),
        }
    )


def splits(data: pd.DataFrame, settings: Config) -> Splits:
    ends = [0, len(data) * 8 // 10, len(data) * 9 // 10, len(data)]
    parts = (data[a:b] for a, b in pairwise(ends))
    options = build_stats_options(settings.categories())
    return {
        split: tfdv.generate_statistics_from_dataframe(part, stats_options=options).datasets[0]
        for split, part in zip(("train", "eval", "test"), parts, strict=True)
    }


def as_list(statistics: Any) -> Any:
    return statistics_pb2.DatasetFeatureStatisticsList(datasets=[statistics])


def given_schema(statistics: Splits, text: str | None) -> schema_pb2.Schema:
    """As ImportSchemaGen or SchemaGen would give it."""
    if text is not None:
        return text_format.Parse(text, schema_pb2.Schema())
    schema = tfdv.infer_schema(as_list(statistics["train"]))
    for split in ("eval", "test"):
        schema = tfdv.update_schema(schema, as_list(statistics[split]))
    return schema


def check(
    now: pd.DataFrame, before: pd.DataFrame | None, in_git: str | None = None, **sections: Any
) -> Findings:
    """From tables to findings, as the components between ExampleGen and the gate go."""
    if in_git is not None:
        sections["schema"] = {"path": "my.pbtxt"}
    settings = config(**sections)
    reference = None
    if before is not None and settings.schema_.reference == "served":
        known = splits(before, settings)
        reference = Reference("7", curated(known, None, settings), known)
    statistics = splits(now, settings)
    inputs = GateInputs(
        statistics=statistics,
        schema=curated(statistics, reference, settings, in_git),
        reference=reference,
        rules=GateRules.of(settings),
    )
    anomalies = {
        split: tfdv.validate_statistics(as_list(part), inputs.schema)
        for split, part in statistics.items()
    }
    return make_findings(inputs, anomalies)


def curated(
    statistics: Splits, reference: Reference | None, settings: Config, text: str | None = None
) -> schema_pb2.Schema:
    rules = CurationRules.of(settings)
    base, origin = choose_base(given_schema(statistics, text), reference, rules)
    observed = summarize_columns(statistics.values())
    known = summarize_columns(reference.statistics.values()) if reference else observed
    return curate_schema(base, origin, observed, known, rules)


def only(findings: Findings) -> Finding:
    (finding,) = findings.findings
    return finding


def change(rows: slice, column: str, value: Any) -> pd.DataFrame:
    """The second delivery with some values replaced, evenly over the splits."""
    data = table(seed=1)
    data[column] = data[column].astype(object)
    data.loc[data.index[rows], column] = value
    return data.infer_objects()


@pytest.mark.parametrize("rows", [100, 1000])
def test_a_first_run_finds_nothing_and_says_why(rows: int) -> None:
    findings = check(table(rows), None)
    assert findings.findings == ()
    assert findings.checked_against == "itself (first run)"


def test_good_data_passes_twice() -> None:
    findings = check(table(seed=1), table())
    assert findings.findings == ()
    assert findings.checked_against == "the served model 7"


@pytest.mark.parametrize("seed", range(20))
def test_chance_stops_no_small_table(seed: int) -> None:
    assert check(table(200, seed=2 * seed), table(200, seed=2 * seed + 1)).stopping == ()


def test_a_new_category_stops() -> None:
    found = only(check(change(slice(0, None, 30), PAY, "Crypto"), table()))
    assert (found.kind, found.column, found.severity) == ("new_category", PAY, "stop")
    assert found.splits == ("train", "eval", "test")
    assert found.problem == f"3.4 % of the values of '{PAY}' are not among the known values"
    assert found.expected == "'App', 'Card', 'Cash'; others at most 1.3 %"
    assert (found.found, found.examples) == ("3.4 % others", ("Crypto",))
    assert "`--set schema.reference=none`" in found.accept
    assert "`--set validation.new_category_share=0.034`" in found.accept


def test_a_rare_new_category_passes_though_it_is_a_tenth_of_a_small_split() -> None:
    small = table(100, seed=1)
    small.loc[82, PAY] = "Crypto"
    assert check(small, table(100)).stopping == ()


def test_a_setting_that_is_offered_is_accepted() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto")
    assert check(data, table(), validation={"new_category_share": 0.034}).findings == ()
    assert check(data, table(), schema={"reference": "none"}).findings == ()


def test_a_dropped_column_stops_and_a_renamed_one_is_guessed() -> None:
    findings = check(table(seed=1).rename(columns={FARE: "fare (EUR)"}), table())
    missing, new = findings.findings
    assert (missing.kind, missing.severity, missing.column) == ("missing_column", "stop", FARE)
    assert missing.found == "no such column; 'fare (EUR)' is new"
    assert (new.kind, new.severity, new.column) == ("new_column", "warn", "fare (EUR)")


def test_a_shifted_range_stops() -> None:
    found = only(check(table(seed=1).assign(**{FARE: lambda t: t[FARE] * 10}), table()))
    assert (found.kind, found.column, found.severity) == ("drift", FARE, "stop")
    assert "median" in found.found
    assert found.against == "the served model 7"


def test_a_changed_majority_stops() -> None:
    found = only(check(change(slice(0, None, 2), PAY, "App"), table()))
    assert (found.kind, found.column) == ("drift", PAY)
    assert found.found.split("; ")[1].startswith("'App' ")
    assert found.found.count("'App'") == 1
    assert found.examples == ()


def test_two_swapped_codes_stop_though_as_numbers_they_hardly_move() -> None:
    codes = np.random.default_rng(0).choice([1, 2, 3], 4000, p=[0.34, 0.16, 0.5])
    swapped = np.select([codes == 1, codes == 2], [2, 1], codes)
    before, now = (table(4000).assign(**{ZIP: column}) for column in (codes, swapped))
    found = only(check(now, before))
    assert (found.kind, found.column) == ("drift", ZIP)
    assert found.expected.startswith("an L-infinity distance of at most")
    assert "'1' 3" in found.found
    assert "'2' 1" in found.found
    as_numbers = config().features | {ZIP: {"kind": "numeric"}}
    assert check(now, before, features=as_numbers).findings == ()


def test_time_and_columns_the_model_does_not_see_may_move_on() -> None:
    data = table(seed=1).assign(tip=lambda t: t["tip"] + 100)
    assert check(data, table()).findings == ()


def test_text_in_place_of_numbers_stops() -> None:
    found = only(check(change(slice(0, None, 9), ZIP, "n/k").astype({ZIP: str}), table()))
    assert (found.kind, found.severity) == ("wrong_type", "stop")
    assert (found.expected, found.found) == ("int", "string")
    assert found.examples[0] == "n/k"


def test_integers_in_place_of_floats_are_offered_as_a_setting() -> None:
    data = table(seed=1).assign(tip=lambda t: np.arange(len(t)))
    found = only(check(data, table().assign(tip=0.5)))
    assert found.accept.startswith("`--set data.types.tip=float`")
    tips = {"tip": "tip (in $.)"}
    found = only(check(data.rename(columns=tips), table().assign(tip=0.5).rename(columns=tips)))
    assert found.accept.startswith("""`--set 'data.types."tip (in $.)"=float'`""")


def test_a_rise_of_missing_values_stops() -> None:
    data = table(seed=1)
    data.loc[data.index % 5 < 2, FARE] = np.nan
    found = only(check(data, table()))
    assert (found.kind, found.severity) == ("missing_values", "stop")
    assert found.found == "40 % (400 of 1000 rows)"
    assert "0 % in the data of the served model 7" in found.expected
    assert check(data, table(), validation={"missing_values_rise": 0.4}).findings == ()


def test_a_column_without_any_value_stops() -> None:
    data = table().assign(tip=lambda t: t["tip"].where(t.index % 50 == 0))
    found = only(check(data.assign(tip=np.nan), data))
    assert (found.kind, found.column) == ("missing_values", "tip")
    assert found.expected == "some values"
    once = data.assign(tip=lambda t: t["tip"].where(t.index == 50))
    assert check(data.assign(tip=np.nan), once).findings == ()


def test_a_new_column_warns() -> None:
    found = only(check(table(seed=1).assign(**{"ex.tra ü": "x"}), table()))
    assert (found.kind, found.severity, found.column) == ("new_column", "warn", "ex.tra ü")
    assert found.examples == ("x",)


def test_infinity_stops_even_a_first_run() -> None:
    data = table()
    data.loc[3, FARE] = np.inf
    found = only(check(data, None))
    assert (found.kind, found.expected, found.examples) == (
        "out_of_range",
        "finite numbers",
        ("inf",),
    )


def test_a_class_the_configuration_does_not_know_stops_even_a_first_run() -> None:
    data = table()
    data.loc[3, "y"] = "maybe"
    found = only(check(data, None))
    assert (found.kind, found.column, found.examples) == ("new_category", "y", ("maybe",))
    assert found.accept.startswith("add the values to label.classes")


def test_skew_between_the_splits_warns() -> None:
    data = table()
    data.loc[data.index >= 900, PAY] = "App"
    found = only(check(data, None))
    assert (found.kind, found.severity, found.splits) == ("skew", "warn", ("test",))
    assert found.against == "split train"


def test_ignored_kinds_are_left_out() -> None:
    data = table(seed=1).assign(extra="x")
    severity = {"severity": {"new_column": "ignore"}}
    assert check(data, table(), validation=severity).findings == ()


SCHEMA = f"""
feature {{ name: "{FARE}" type: FLOAT presence {{ min_fraction: 1 }}
  float_domain {{ min: 0 max: 20 }}
  drift_comparator {{ jensen_shannon_divergence {{ threshold: 1 }} }} }}
feature {{ name: "{PAY}" type: BYTES string_domain {{ value: "Cash" value: "Card" }} }}
feature {{ name: "{ZIP}" type: INT }}
feature {{ name: "when" type: INT }}
feature {{ name: "tip" type: FLOAT }}
feature {{ name: "y" type: BYTES }}
dataset_constraints {{ min_examples_count: 200 }}
"""


def test_a_schema_in_git_is_held_to_the_letter() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 3})
    data.loc[7, FARE] = np.nan
    findings = check(data, None, in_git=SCHEMA)
    assert findings.checked_against == "the schema in git"
    found = {(finding.column, finding.kind): finding for finding in findings.findings}
    assert set(found) == {
        (None, "too_few_examples"),
        (FARE, "missing_values"),
        (FARE, "out_of_range"),
        (PAY, "new_category"),
    }
    assert found[None, "too_few_examples"].found == "100 in eval, 100 in test"
    assert found[FARE, "out_of_range"].expected == "from 0 to 20"
    assert found[PAY, "new_category"].accept.startswith("add the values to its domain in my.pbtxt")


def test_a_comparator_in_git_decides_about_drift() -> None:
    data = table(seed=1).assign(**{FARE: lambda t: t[FARE] * 10})
    strict = SCHEMA.replace("threshold: 1", "threshold: 0.01")
    for schema, drifts in ((SCHEMA, False), (strict, True)):
        findings = check(data, table(), in_git=schema).findings
        assert ("drift" in {finding.kind for finding in findings}) == drifts


def test_the_gate_names_the_first_of_several() -> None:
    data = change(slice(0, None, 30), PAY, "Crypto").drop(columns=[FARE])
    with pytest.raises(DataError) as caught:
        raise_if_stopping(check(data, table()))
    assert str(caught.value) == f"2 findings stop the run; the first: column '{FARE}' is missing"
    assert "schema.reference=none" in caught.value.hint


def test_the_gate_lets_warnings_pass() -> None:
    raise_if_stopping(check(table(seed=1).assign(extra="x"), table()))


def test_no_way_is_offered_that_does_not_lead_on() -> None:
    infinite = table(seed=1)
    infinite.loc[3, FARE] = np.inf
    assert only(check(infinite, table())).accept == "`--set validation.severity.out_of_range=warn`"
    dropped = only(check(table(seed=1).drop(columns=FARE), table()))
    assert dropped.accept.startswith("take it out of features; then run once with `--set schema.")
    features = {PAY: "categorical", ZIP: "categorical"}
    accepted = {"schema": {"reference": "none"}, "features": features}
    assert check(table(seed=1).drop(columns=FARE), table(), **accepted).stopping == ()
    assert dropped.accept.endswith(", or `--set validation.severity.missing_column=warn`")


def test_nan_in_a_column_of_git_is_missing() -> None:
    data = table(seed=1).assign(**{PAY: "Cash"})
    data[FARE] = data[FARE].clip(0, 20)
    settings = config(schema={"path": "my.pbtxt"})
    statistics = splits(data, settings)
    for part in statistics.values():
        fare = next(f for f in part.features if f.path.step[0] == FARE)
        fare.num_stats.histograms[0].num_nan = 10
    schema = curated(statistics, None, settings, SCHEMA)
    inputs = GateInputs(statistics, schema, None, GateRules.of(settings))
    found = only(make_findings(inputs, {}))
    assert (found.kind, found.found) == ("missing_values", "3 % (30 of 1000 rows)")
