"""Workers that do not see the table or the artifacts are refused before any work."""

from pathlib import Path

import pytest
from job_service import running_engine
from object_store import Bucket

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.engine_check import check_workers

ROOT = Path(__file__).parents[3]
TAXI = ROOT / "configs/taxi.yaml"


def test_this_machine_needs_no_job(tmp_path: Path) -> None:
    check_workers(load_config([TAXI]), str(tmp_path / "absent"))


@pytest.mark.long
@pytest.mark.slow
def test_workers_must_see_the_artifacts_and_the_table_that_they_read(
    tmp_path: Path, bucket: Bucket
) -> None:
    artifacts = tmp_path / "artifacts [1]"
    here = "beam.components.ExampleGen=[--runner=DirectRunner]"
    bucket.put("trips/day-0001.csv", b"fare\n1\n")

    def check(*assignments: str) -> None:
        check_workers(load_config([TAXI], [*engine, *assignments]), str(artifacts))
        assert not list(artifacts.iterdir())

    with running_engine(tmp_path / "log") as engine:
        check(f"data.path={ROOT}/data/chicago_taxi/*.csv")
        check("data.path=" + bucket.url("trips/day-{SPAN:4}.csv"))
        with pytest.raises(ConfigError, match=r"no file matches '/no/such/table\.csv'"):
            check("data.path=/no/such/table.csv")
        check("data.path=/no/such/table.csv", here)
