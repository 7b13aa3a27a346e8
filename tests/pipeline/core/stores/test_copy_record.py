"""The record of what a copy was made from survives a kill."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.core.stores.copy_record import CopyRecord, Known

KNOWN = Known('{"a": 1}', {"e_tag": "7"})


def test_a_copy_that_is_being_changed_must_be_made_anew(tmp_path: Path) -> None:
    record = CopyRecord(tmp_path)
    assert record.read() is None
    record.write(KNOWN)
    assert record.read() == KNOWN
    record.mark_dirty()
    assert record.read() is None
    assert record.read_in_use() == KNOWN
    record.write(KNOWN)
    assert record.read() == KNOWN


@pytest.mark.parametrize("content", [b"", b"{", b"\xff"])
def test_a_damaged_record_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "seen.json").write_bytes(content)
    assert CopyRecord(tmp_path).read() is None
