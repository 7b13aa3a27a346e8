"""TFDV's anomalies are explained, or dropped if the whole table does not confirm them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from deliveries import FARE, PAY, SCHEMA, ZIP, change, check, check_inputs, only, table
from tensorflow_metadata.proto.v0 import anomalies_pb2

from components.anomaly_gate.explanation import Explanation
from components.anomaly_gate.schema_anomalies import explain_anomaly

PASSED = SCHEMA.replace("min_examples_count: 200", "min_examples_count: 100")
"""A schema in git that the good data passes."""


def good_data() -> pd.DataFrame:
    return table(seed=1).assign(**{FARE: lambda t: t[FARE].clip(0, 20), PAY: "Cash"})


def schema_of_when(rule: str) -> str:
    """Returns the schema with a rule for the column of whole numbers."""
    return PASSED.replace('"when" type: INT', f'"when" type: INT {rule}')


def test_a_new_category_stops() -> None:
    found = only(check(change(slice(0, None, 30), PAY, "Crypto"), table()))
    assert (found.kind, found.column, found.severity) == ("new_category", PAY, "stop")
    assert found.splits == ("train", "eval", "test")
    assert found.problem == f"3.4 % of the values of '{PAY}' are not among the known values"
    assert found.expected == (
        "'App', 'Card', 'Cash'; others at most 1.3 %: 1 % by `validation.new_category_share`, "
        "and 0.3 % that 1,000 known rows may lack by chance"
    )
    assert (found.found, found.examples) == ("3.4 % others", ("Crypto",))


def test_a_rare_new_category_passes_even_if_it_is_a_tenth_of_a_small_split() -> None:
    small = table(100, seed=1)
    small.loc[82, PAY] = "Crypto"
    assert check(small, table(100)).stopping == ()


def test_a_dropped_column_stops_and_a_similar_new_name_is_shown() -> None:
    findings = check(table(seed=1).rename(columns={FARE: "fare (EUR)"}), table())
    missing, new = findings.findings
    assert (missing.kind, missing.severity, missing.column) == ("missing_column", "stop", FARE)
    assert missing.found == "no such column; 'fare (EUR)' is new"
    assert (new.kind, new.severity, new.column) == ("new_column", "warn", "fare (EUR)")


def test_text_in_place_of_numbers_stops() -> None:
    found = only(check(change(slice(0, None, 9), ZIP, "n/k").astype({ZIP: str}), table()))
    assert (found.kind, found.severity) == ("wrong_type", "stop")
    assert (found.expected, found.found) == ("int", "string")
    assert found.examples[0] == "n/k"


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


def test_a_class_that_is_not_configured_stops_even_a_first_run() -> None:
    data = table()
    data.loc[3, "y"] = "maybe"
    found = only(check(data, None))
    assert (found.kind, found.column, found.examples) == ("new_category", "y", ("maybe",))
    assert found.accept.startswith("add the values to label.classes")


def test_a_schema_in_git_is_checked_without_tolerance() -> None:
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


def test_a_range_of_whole_numbers_may_have_one_bound() -> None:
    data = good_data()
    for domain, expected in (("min: 11000", "from 11000 to inf"), ("max: 3", "from -inf to 3")):
        found = only(check(data, None, in_git=schema_of_when(f"int_domain {{ {domain} }}")))
        assert (found.kind, found.column, found.expected) == ("out_of_range", "when", expected)
    inside = schema_of_when("int_domain { min: 10000 max: 10999 }")
    assert check(data, None, in_git=inside).findings == ()


def test_a_rule_that_only_a_person_writes_is_told_in_the_words_of_tfdv() -> None:
    found = only(check(good_data(), None, in_git=schema_of_when("bool_domain {}")))
    assert (found.kind, found.column, found.severity) == ("out_of_range", "when", "stop")
    assert "not in {0, 1}" in found.problem


def test_the_share_that_a_person_tolerates_is_tolerated_and_no_row_more() -> None:
    mass = "distribution_constraints { min_domain_mass: 0.9 }"
    schema = PASSED.replace('value: "Card" }', f'value: "Card" }} {mass}')
    data = good_data()
    data.loc[data.index % 10 == 0, PAY] = "App"
    assert check(data, None, in_git=schema).findings == ()
    data.loc[1, PAY] = "App"
    found = only(check(data, None, in_git=schema))
    assert (found.kind, found.column) == ("new_category", PAY)


def test_one_class_that_is_not_configured_stops_a_later_run() -> None:
    data = table(seed=1)
    data.loc[3, "y"] = "maybe"
    assert only(check(data, table())).examples == ("maybe",)


def test_chance_adds_nothing_to_the_tolerance_that_a_person_wrote() -> None:
    """The domain may stand at the column, or be shared by several columns."""
    before, data = (table(seed=n).assign(**{FARE: lambda t: t[FARE].clip(0, 20)}) for n in (0, 1))
    known, domain = 'value: "Cash" value: "Card"', 'value: "Cash" value: "App" value: "Card"'
    strict = " distribution_constraints { min_domain_mass: 1 }"
    own = PASSED.replace(f"{known} }}", f"{domain} }}{strict}")
    shared = PASSED.replace(f"string_domain {{ {known} }}", f'domain: "ways"{strict}')
    shared += f'string_domain {{ name: "ways" {domain} }}'
    changed = data.copy()
    changed.loc[5, PAY] = "Crypto"
    for schema in (own, shared):
        assert check(data, before, in_git=schema).findings == ()
        found = only(check(changed, before, in_git=schema))
        assert (found.kind, found.column, found.examples) == ("new_category", PAY, ("Crypto",))


def test_texts_that_are_no_truth_values_are_told_in_the_words_of_tfdv() -> None:
    domain = 'string_domain { value: "Cash" value: "Card" }'
    schema = PASSED.replace(domain, 'bool_domain { true_value: "Card" }')
    found = only(check(good_data(), None, in_git=schema))
    assert (found.kind, found.column, found.expected) == ("new_category", PAY, "")
    assert "Cash" in found.problem


def test_a_split_without_a_number_to_compare_is_told_in_the_words_of_tfdv() -> None:
    _, inputs = check_inputs(table(), None)
    reason = anomalies_pb2.AnomalyInfo.Reason(description="No data in the span. ")
    explanation = explain_anomaly("too_few_examples", inputs, None, [reason])
    assert explanation == Explanation("No data in the span")
