"""A job reaches the DAG process unchanged."""

from pathlib import Path

from pipeline.config import Config, load_config
from pipeline.runners.local.job import Job
from pipeline.runners.workspace.places import Workspace

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_a_job_survives_its_line(tmp_path: Path) -> None:
    config = load_config([TAXI], ["training.epochs=3"])
    job = Job.of(config, Workspace.of(config, tmp_path), str(tmp_path / "temporary"), "Tuner")
    line = job.to_line().decode()
    assert line.endswith("\n")
    assert line.count("\n") == 1
    read = Job.from_line(line)
    assert read == job
    assert Config.model_validate_json(read.config) == config
    assert Path(read.artifacts).parent == tmp_path / "artifacts"
    assert (read.serving, read.until) == (str(tmp_path / "serving"), "Tuner")
