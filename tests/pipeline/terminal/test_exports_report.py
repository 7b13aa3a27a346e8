"""The table of exports in the terminal."""

from __future__ import annotations

import io

from rich.console import Console

from pipeline.core.events import ExportResult
from pipeline.terminal.exports_report import print_exports


def test_each_export_has_a_row_and_each_failure_a_sentence() -> None:
    exports = [
        ExportResult("model", "model", metrics={"auc": 0.91}, bytes=70_000, gzip_bytes=40_000),
        ExportResult(
            "onnx", "export", True, metrics={"auc": 0.91}, max_difference=1e-7, bytes=50_000,
            gzip_bytes=30_000, milliseconds={"1": 0.0123, "1024": 1.5},
        ),
        ExportResult("tflite-int8", "export", False, ("the file\x1b[2J cannot be run",)),
    ]  # fmt: skip
    output = io.StringIO()
    print_exports(exports, ["auc"], Console(file=output, width=120))
    header, model, onnx, int8, failure = output.getvalue().splitlines()
    assert header.split()[0] == "export"
    assert header.split()[-1] == "auc"
    assert model.split() == ["model", "70.0", "kB", "40.0", "kB", "0.91"]
    assert "passed" in onnx
    assert "0.012 ms" in onnx
    assert int8.split() == ["tflite-int8", "failed"]
    assert failure == "tflite-int8 failed: the file\\x1b[2J cannot be run"
