"""What a candidate is held against is only what still exists."""

import dataclasses
from pathlib import Path

import pytest

from components.served_model.pointer import find_record, write_pointer
from components.served_model.record import ServedRecord


@pytest.fixture
def served(tmp_path: Path) -> ServedRecord:
    for name in ("serving/1", "model", "statistics", "schema"):
        (tmp_path / name).mkdir(parents=True)
    uris = {name: str(tmp_path / name) for name in ("model", "statistics", "schema")}
    record = ServedRecord("1", evaluation="", label="{}", data_key="d", run_key="r", **uris)
    write_pointer(str(tmp_path / "serving"), record)
    return record


def test_a_served_model_is_found(served: ServedRecord, tmp_path: Path) -> None:
    serving = str(tmp_path / "serving")
    assert find_record(serving, "reference", "other") == served
    assert find_record(serving, "baseline", "other") == served
    assert find_record(serving, "baseline", "r") is None


@pytest.mark.parametrize(
    ("gone", "role"),
    [("schema", "reference"), ("statistics", "reference"), ("model", "baseline")],
)
def test_what_was_deleted_is_no_reference(
    served: ServedRecord, tmp_path: Path, gone: str, role: str
) -> None:
    Path(dataclasses.asdict(served)[gone]).rmdir()
    assert find_record(str(tmp_path / "serving"), role, "other") is None
