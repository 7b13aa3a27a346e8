"""The bytes that jobs moved, from answers in the shape of Flink 1.19's REST API."""

import copy
from typing import Any

import pytest

from benchmarks.engine.cluster import Moved, sum_moved

JOB: dict[str, Any] = {
    "jid": "5e1b3d3f6a0c1c1fd1f8d6c0b1a2e3f4",
    "name": "taxi-transform-1b63005c",
    "isStoppable": False,
    "state": "FINISHED",
    "job-type": "BATCH",
    "start-time": 1732568400000,
    "end-time": 1732568423000,
    "duration": 23000,
    "maxParallelism": -1,
    "vertices": [
        {
            "id": "cbc357ccb763df2852fee8c4fc7d55f2",
            "name": "Source: Impulse -> [3]{Create}",
            "maxParallelism": 128,
            "parallelism": 2,
            "status": "FINISHED",
            "start-time": 1732568401000,
            "end-time": 1732568409000,
            "duration": 8000,
            "tasks": {"FINISHED": 2, "RUNNING": 0, "FAILED": 0, "CANCELED": 0},
            "metrics": {
                "read-bytes": 0,
                "read-bytes-complete": True,
                "write-bytes": 53211,
                "write-bytes-complete": True,
                "read-records": 0,
                "read-records-complete": True,
                "write-records": 16,
                "write-records-complete": True,
                "accumulated-backpressured-time": 0,
                "accumulated-idle-time": 412,
                "accumulated-busy-time": "NaN",
            },
        },
        {
            "id": "0a448493b4782967b150582570326227",
            "name": "[2]{Read, Analyze}",
            "maxParallelism": 128,
            "parallelism": 2,
            "status": "FINISHED",
            "start-time": 1732568409000,
            "end-time": 1732568422000,
            "duration": 13000,
            "tasks": {"FINISHED": 2, "RUNNING": 0, "FAILED": 0, "CANCELED": 0},
            "metrics": {
                "read-bytes": 53400,
                "read-bytes-complete": True,
                "write-bytes": 0,
                "write-bytes-complete": True,
                "read-records": 16,
                "read-records-complete": True,
                "write-records": 0,
                "write-records-complete": True,
                "accumulated-backpressured-time": 0,
                "accumulated-idle-time": 0,
                "accumulated-busy-time": "NaN",
            },
        },
    ],
    "status-counts": {"FINISHED": 2, "RUNNING": 0, "FAILED": 0, "CANCELED": 0},
}


def test_the_bytes_of_all_vertices_of_all_jobs_are_added() -> None:
    assert sum_moved([JOB, JOB]) == Moved(jobs=2, read=2 * 53400, written=2 * 53211)
    assert sum_moved([]) == Moved(jobs=0, read=0, written=0)


@pytest.mark.parametrize("state", ["RUNNING", "FAILED"])
def test_a_job_that_did_not_finish_is_not_counted_silently(state: str) -> None:
    with pytest.raises(ValueError, match=f"taxi-transform-1b63005c is {state}"):
        sum_moved([JOB | {"state": state}])


def test_metrics_that_flink_has_lost_are_not_counted_as_nothing() -> None:
    job = copy.deepcopy(JOB)
    job["vertices"][1]["metrics"] |= {"read-bytes": 0, "read-bytes-complete": False}
    with pytest.raises(ValueError, match="lacks metrics"):
        sum_moved([job])
