"""What a candidate is held against is only what still exists."""

from pathlib import Path

import pytest

from components.served_model.pointer import find_record, write_pointer
from components.served_model.served_record import ServedRecord


@pytest.fixture
def served(tmp_path: Path) -> ServedRecord:
    """Its artifacts are not there, as on a platform that keeps them elsewhere."""
    for name in ("1", ".reference/1/statistics", ".reference/1/schema"):
        (tmp_path / "serving" / name).mkdir(parents=True)
    record = ServedRecord("1", "m", "e", "s", "c", "{}", data_key="d", run_key="r")
    write_pointer(str(tmp_path / "serving"), record)
    return record.with_directory(str(tmp_path / "serving"))


def test_a_served_model_is_found(served: ServedRecord, tmp_path: Path) -> None:
    serving = str(tmp_path / "serving")
    assert find_record(serving, "reference", "other") == served
    assert find_record(serving, "baseline", "other") == served
    assert find_record(serving, "baseline", "r") is None


@pytest.mark.parametrize(
    ("gone", "role"),
    [
        (".reference/1/schema", "reference"),
        (".reference/1/statistics", "reference"),
        ("1", "baseline"),
    ],
)
def test_what_was_deleted_is_no_reference(
    served: ServedRecord, tmp_path: Path, gone: str, role: str
) -> None:
    (tmp_path / "serving" / gone).rmdir()
    assert find_record(str(tmp_path / "serving"), role, "other") is None
