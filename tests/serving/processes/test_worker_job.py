"""The job of a worker."""

import json

from serving.processes.worker_job import Job


def test_a_job_survives_the_way_to_the_worker() -> None:
    job = Job("größe", 2, 3, 4, "127.0.0.1:8500", "{}")
    assert Job(**json.loads(job.to_json())) == job
