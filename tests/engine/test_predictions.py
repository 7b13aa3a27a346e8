"""`predict` on the Flink cluster writes what it writes on one machine."""

from pathlib import Path

import pytest
from flink import ON_FLINK, find_jobs, job_ids
from outcomes import LocalRun, predict
from support import Project, digest_tree

pytestmark = [pytest.mark.engine, pytest.mark.nightly]


def test_predictions_on_flink_are_those_of_one_machine(local: LocalRun, tmp_path: Path) -> None:
    project, _ = local
    earlier = job_ids("BatchPredictor")
    here = score(project, tmp_path / "here")
    assert job_ids("BatchPredictor") == earlier
    assert score(project, tmp_path / "there", *ON_FLINK) == here
    new = [job for job in find_jobs("BatchPredictor") if job["jid"] not in earlier]
    assert {job["state"] for job in new} == {"FINISHED"}


def score(project: Project, output: Path, *arguments: str) -> dict[str, str]:
    """Scores the training table; returns the digest of each file of predictions."""
    predict(project, str(project.directory / "shop/*.csv"), str(output), *arguments)
    digests = digest_tree(output)
    assert digests.pop("manifest.json")
    assert len(digests) == len(list(project.directory.glob("shop/*.csv")))
    return digests
