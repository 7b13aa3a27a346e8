"""The table says what goes, how much it is, and why other runs stay."""

import io
from pathlib import Path

from recorded_workspace import MADE, RecordedWorkspace
from rich.console import Console

from pipeline.runners.history.garbage.plan import make_plan
from pipeline.runners.history.garbage.table import print_plan

ALL = [*MADE]


def printed(recorded: RecordedWorkspace, keep: int) -> list[str]:
    console = Console(file=io.StringIO(), width=100)
    print_plan(make_plan(recorded.workspace, recorded.graph(), keep), console)
    return console.file.getvalue().splitlines()


def test_runs_artifacts_and_bytes_are_listed_with_a_sum(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    pushed, first, second, newest = (recorded.run(ALL, version) for version in ("17", "", "", ""))
    (recorded.root / "artifacts" / "20250101-000000-000000").mkdir()
    header, *rows, total, newest_line, why, unknown = printed(recorded, 1)
    assert header.split() == ["run", "artifacts", "backups", "on", "disk"]
    assert [row.split()[:3] for row in rows] == [[first, "3", "0"], [second, "3", "0"]]
    assert all(row.endswith(" kB") for row in rows)
    assert total.split()[:6] == ["2", "runs", "in", "all", "6", "0"]
    assert newest_line == "The newest 1 run stays."
    assert why == f"{pushed} stays: it made version 17."
    assert "20250101-000000-000000" in unknown
    assert newest not in "".join(rows)


def test_without_old_runs_there_is_no_table(tmp_path: Path) -> None:
    recorded = RecordedWorkspace(tmp_path / "out")
    recorded.run(ALL)
    recorded.run(ALL)
    assert printed(recorded, 9) == ["The newest 2 runs stay."]
