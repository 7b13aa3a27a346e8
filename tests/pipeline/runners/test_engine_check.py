"""Workers that do not see the table or the artifacts are refused before any work."""

from pathlib import Path

import pytest
from job_service import running_engine

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.engine_check import check_workers

ROOT = Path(__file__).parents[3]
TAXI = ROOT / "configs/taxi.yaml"


def test_this_machine_needs_no_job(tmp_path: Path) -> None:
    check_workers(load_config([TAXI]), str(tmp_path / "absent"))


@pytest.mark.slow
def test_workers_of_this_machine_fit_and_a_table_that_they_do_not_see_is_refused(
    tmp_path: Path,
) -> None:
    artifacts = tmp_path / "artifacts"
    with running_engine(tmp_path / "log") as engine:
        there = f"data.path={ROOT}/data/chicago_taxi/*.csv"
        check_workers(load_config([TAXI], [*engine, there]), str(artifacts))
        assert not list(artifacts.iterdir())
        with pytest.raises(ConfigError, match=r"does not see /no/such/table\.csv"):
            check_workers(
                load_config([TAXI], [*engine, "data.path=/no/such/table.csv"]), str(artifacts)
            )
