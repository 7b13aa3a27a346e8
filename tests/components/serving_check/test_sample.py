"""Cells become the JSON that a client writes; test_executor.py reads artifacts."""

from __future__ import annotations

import pyarrow as pa

from components.serving_check.sample import to_json_rows


def test_missing_values_are_null_and_bytes_that_are_no_text_are_base64() -> None:
    cells = pa.table(
        {
            "number": pa.array([0.1, float("nan"), None], pa.float32()),
            "text": pa.array(["ü".encode(), b"\xff", None], pa.large_binary()),
            "whole": pa.array([2**62, None, -1], pa.int64()),
        }
    )
    first, second, third = to_json_rows(cells)
    assert first["text"] == "ü"
    assert first["whole"] == 2**62
    assert pa.scalar(first["number"], pa.float32()) == cells["number"][0]
    assert second == {"number": None, "text": {"b64": "/w=="}, "whole": None}
    assert third == {"number": None, "text": None, "whole": -1}
