"""What a candidate is held against."""

import dataclasses

import pytest

from components.served_model.keys import hash_texts
from components.served_model.served_record import ServedRecord, parse_record, resolve_role
from pipeline.core.errors import ConfigError

OLD = ServedRecord("1", "m1", "e1", "s1", "c1", "{}", data_key="d1", run_key="r1")
NEW = ServedRecord(
    "2", "m2", "e2", "s2", "c2", "{}", data_key="d2", run_key="r2", reference=OLD, baseline=OLD
)


def test_a_record_survives_json() -> None:
    assert parse_record(NEW.to_json(), "served.json") == NEW
    assert parse_record("{}", "served.json") is None


@pytest.mark.parametrize("text", ["", '{"version": "1"', '{"version": "1"}', "[1]"])
def test_a_damaged_record_is_told(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^served\.json: damaged"):
        parse_record(text, "served.json")


def test_nothing_is_served_on_a_first_run() -> None:
    assert resolve_role(None, "reference", "d1") is None
    assert resolve_role(None, "baseline", "r1") is None


def test_a_new_candidate_is_held_against_the_served_model() -> None:
    assert resolve_role(NEW, "reference", "d3") == NEW.without_history()
    assert resolve_role(NEW, "baseline", "r3") == NEW.without_history()


def test_the_served_model_itself_is_held_against_what_it_was_held_against() -> None:
    assert resolve_role(NEW, "reference", "d2") == OLD
    assert resolve_role(NEW, "baseline", "r2") == OLD
    assert resolve_role(OLD, "baseline", "r1") is None


def test_another_model_on_the_same_data_keeps_the_reference() -> None:
    assert resolve_role(NEW, "reference", "d2") == OLD
    assert resolve_role(NEW, "baseline", "r3") == NEW.without_history()


def test_records_do_not_grow_with_history() -> None:
    record = NEW
    for version in range(3, 9):
        record = dataclasses.replace(
            record, version=str(version), baseline=resolve_role(record, "baseline", "other")
        )
    assert record.baseline is not None
    assert record.baseline.baseline is None


def test_digests_see_the_boundaries_of_parts() -> None:
    assert hash_texts("ab", "c") != hash_texts("a", "bc")
    assert hash_texts("a", "") != hash_texts("a")
