"""The table that `make bench-engine` prints."""

from typing import Any

from benchmarks.engine.runs import COMPONENTS, HERE
from benchmarks.engine.showing import show_runs


def test_seconds_stand_beside_the_bytes_that_moved() -> None:
    cluster: dict[str, Any] = {
        "seconds": dict.fromkeys(COMPONENTS, 8.0),
        "moved": {name: {"jobs": 1, "read": 1_500_000, "written": 2e6} for name in COMPONENTS},
        "process": 70.0,
    }
    here = {"seconds": dict.fromkeys(COMPONENTS, 2.5), "process": 20.0}
    lines = list(show_runs({"places": {HERE: here, "1 TaskManager": cluster}}))
    assert lines[0] == "| component | this machine | 1 TaskManager | MB written | MB read |"
    assert "| Transform | 2.5 s | 8.0 s | 2.0 | 1.5 |" in lines
    assert "| together | 10.0 s | 32.0 s | 8.0 | 6.0 |" in lines
    assert len({line.count("|") for line in lines}) == 1
