"""The memory of a component's own process is told apart from that of its workers."""

import subprocess
import sys

import pytest

from benchmarks.driver_memory import DriverPeaks, check_driver_memory

_TAKE_MEMORY = "import sys; taken = b'x' * int(sys.argv[2]); print(flush=True); input()"


def test_the_memory_of_workers_is_not_counted() -> None:
    commands = (
        ["components.transform.executor.Executor", "100000000"],
        ["sdk_worker_main components.transform.executor", "300000000"],
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _TAKE_MEMORY, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for arguments in commands
    ]
    peaks = DriverPeaks()
    try:
        for process in processes:
            assert process.stdout
            process.stdout.readline()
        assert not peaks.sample()
    finally:
        for process in processes:
            process.communicate(b"\n")
    assert list(peaks.bytes) == ["Transform"]
    assert 100e6 < peaks.bytes["Transform"] < 200e6


@pytest.mark.parametrize(("after", "held"), [(1.0e9, True), (1.4e9, False), (1.6e9, False)])
def test_more_rows_may_not_need_more_memory(after: float, held: bool) -> None:
    names = ("StatisticsGen", "Transform", "Evaluator")
    peaks = {rows: dict.fromkeys(names, int(size)) for rows, size in ((20, 0.9e9), (200, after))}
    checks = list(check_driver_memory(peaks))
    assert len(checks) == 6
    assert all(check.held for check in checks) == held
