"""The files of the artifact."""

from __future__ import annotations

from pathlib import Path

from components.model_exports.results import (
    PUSHED,
    find_pushed,
    read_results,
    write_results,
)
from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import ExportResult


def test_results_come_back_as_they_were_written(tmp_path: Path) -> None:
    results = (
        ExportResult(name="model", kind="model", metrics={"auc": 0.9}, milliseconds={"1": 0.5}),
        ExportResult(name="onnx", kind="export", passed=False, reasons=("because",), bytes=3),
    )
    write_results(str(tmp_path), results)
    assert read_results(str(tmp_path)) == results


def write_manifest(directory: Path, text: str) -> None:
    directory.mkdir(parents=True)
    (directory / ArtifactFile.EXPORT_MANIFEST).write_text(text)


def test_nothing_is_pushed_if_no_export_passed(tmp_path: Path) -> None:
    assert find_pushed(str(tmp_path)) is None
    write_manifest(tmp_path / PUSHED, "{}")
    assert find_pushed(str(tmp_path)) == str(tmp_path / PUSHED)
