"""The command `report`, as a process."""

from pathlib import Path

from command_process import command


def test_a_report_needs_a_place() -> None:
    code, output = command("report")
    assert code == 2
    assert "--output" in output


def test_a_place_without_runs_is_refused(tmp_path: Path) -> None:
    code, output = command("report", "--output", str(tmp_path))
    assert code == 2
    assert "no run has left logs here" in output
