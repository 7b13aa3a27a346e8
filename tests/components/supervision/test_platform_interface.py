"""How a worker's end is described, and when workers count as hung."""

import pytest

from components.supervision.platform_interface import WorkerStatus, compute_stall_limit

_TRAINING = WorkerStatus("worker 0", steps=7, ticks=9)
_STARTING = WorkerStatus("worker 1")
_SUCCEEDED = WorkerStatus("worker 2", exit_code=0)
_SERVER = WorkerStatus("ps 0", is_server=True)


@pytest.mark.parametrize(
    ("workers", "stall_seconds", "limit"),
    [
        ([_TRAINING], 5, 5),
        ([_TRAINING, _STARTING], 5, 600),
        ([_TRAINING, _STARTING], 900, 900),
        ([_TRAINING, _SUCCEEDED], 5, 5),
        ([_TRAINING, _SERVER], 5, 5),
    ],
)
def test_ten_minutes_are_the_least_limit_while_a_running_worker_makes_no_steps(
    workers: list[WorkerStatus], stall_seconds: float, limit: float
) -> None:
    assert compute_stall_limit(workers, stall_seconds) == limit


@pytest.mark.parametrize(
    ("code", "reason", "description"),
    [
        (3, "", "ended with 3"),
        (-9, "", "was killed by signal 9"),
        (-9, "OOMKilled", "was killed by signal 9 (OOMKilled)"),
    ],
)
def test_the_end_of_a_worker_is_described_with_signal_and_reason(
    code: int, reason: str, description: str
) -> None:
    status = WorkerStatus("worker 0", exit_code=code, reason=reason)
    assert status.end_description == description
