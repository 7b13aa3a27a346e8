"""Records of served models: their JSON, and what a candidate is compared with."""

import dataclasses
import json
from pathlib import Path

import pytest

from components.served_model.served_record import (
    ServedRecord,
    is_same_model,
    parse_record,
    read_pointer_file,
    read_record_artifact,
    resolve_role,
)
from pipeline.core.errors import ConfigError

OLD = ServedRecord("1", "m1", "e1", "s1", "c1", "{}", data_key="d1", run_key="r1")
NEW = ServedRecord(
    "2", "m2", "e2", "s2", "c2", "{}", data_key="d2", run_key="r2", reference=OLD, baseline=OLD
)


def test_a_record_survives_json() -> None:
    assert parse_record(NEW.to_json(), "served.json") == NEW
    assert parse_record("{}", "served.json") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"version": "1"',
        '{"version": "1"}',
        "[1]",
        *(
            json.dumps(dataclasses.asdict(NEW) | wrong)
            for wrong in (
                {"files": None},
                {"files": ["a"]},
                {"files": {"a": "1"}},
                {"version": 2},
                {"reference": {**dataclasses.asdict(OLD), "run_key": None}},
            )
        ),
    ],
)
def test_a_damaged_record_is_an_error_that_names_the_file(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^served\.json: damaged"):
        parse_record(text, "served.json")


def test_the_record_in_an_artifact_is_read_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "served.json"
    for text, record in ((dataclasses.replace(NEW, label="é").to_json(), "é"), ("{}", None)):
        path.write_text(text, encoding="utf-8")
        read = read_record_artifact(str(tmp_path))
        assert (read.label if read else None) == record
    path.write_text("{")
    with pytest.raises(ConfigError, match=rf"^{path}: damaged"):
        read_record_artifact(str(tmp_path))


def test_a_first_run_has_neither_reference_nor_baseline() -> None:
    assert resolve_role(None, "reference", "d1") is None
    assert resolve_role(None, "baseline", "r1") is None


def test_a_new_candidate_is_compared_with_the_served_model() -> None:
    assert resolve_role(NEW, "reference", "d3") == NEW.without_history()
    assert resolve_role(NEW, "baseline", "r3") == NEW.without_history()


def test_the_served_model_itself_is_compared_with_its_own_predecessors() -> None:
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
    assert NEW.without_history() == dataclasses.replace(NEW, reference=None, baseline=None)


def test_a_read_record_has_the_readers_serving_directory(tmp_path: Path) -> None:
    assert read_pointer_file(str(tmp_path)) is None
    (tmp_path / "served.json").write_text(NEW.to_json())
    record = read_pointer_file(str(tmp_path))
    assert record is not None
    assert record.served_model == str(tmp_path / "2")
    assert record.served_schema == str(tmp_path / ".reference/2/schema")
    assert record.baseline is not None
    assert record.baseline.served_model == str(tmp_path / "1")
    assert record.reference is not None
    assert record.reference.served_schema == str(tmp_path / ".reference/1/schema")


def test_records_name_the_same_model_however_often_it_was_evaluated() -> None:
    again = dataclasses.replace(NEW, evaluation="another", baseline=None)
    assert is_same_model(NEW, again)
    assert is_same_model(None, None)
    assert not is_same_model(NEW, OLD)
    assert not is_same_model(NEW, None)
