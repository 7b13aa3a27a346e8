"""Every push is on record once, also after its version and its run are gone."""

from pathlib import Path

from components.predictions.deciding_metrics import DecidingMetrics, write_deciding_metrics
from components.predictions.estimates import Estimate
from components.push_history.history import Push, note_push, read_pushes
from components.served_model.served_record import ServedRecord

AUC = {"auc": Estimate(0.8, 0.75, 0.85)}


def record(version: str, evaluation: Path) -> ServedRecord:
    return ServedRecord(version, "m", str(evaluation), "s", "c", '{"column": "y"}', "d", "r")


def test_a_push_is_noted_once(tmp_path: Path) -> None:
    write_deciding_metrics(str(tmp_path), DecidingMetrics("test", 100, {"auc": 0.01}, AUC, None))
    for version in ("1", "2", "1"):
        note_push(str(tmp_path), record(version, tmp_path), f"2026-11-0{version}")
    assert read_pushes(str(tmp_path)) == tuple(
        Push(version, f"2026-11-0{version}", '{"column": "y"}', "test", 100, AUC)
        for version in ("1", "2")
    )


def test_a_push_without_metrics_is_left_out(tmp_path: Path) -> None:
    note_push(str(tmp_path), record("1", tmp_path / "gone"), "2026-11-01")
    assert read_pushes(str(tmp_path)) == ()


def test_a_damaged_file_holds_no_push_and_is_written_anew(tmp_path: Path) -> None:
    (tmp_path / ".push_history.json").write_text("[1")
    assert read_pushes(str(tmp_path)) == ()
    write_deciding_metrics(str(tmp_path), DecidingMetrics("test", 100, {}, AUC, None))
    note_push(str(tmp_path), record("1", tmp_path), "2026-11-01")
    assert len(read_pushes(str(tmp_path))) == 1
