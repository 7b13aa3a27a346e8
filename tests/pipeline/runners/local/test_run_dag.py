"""A run is refused before any work if the machine or its metadata do not fit."""

import sqlite3
from pathlib import Path

import pytest
from ml_metadata import MetadataStore
from tfx.orchestration.metadata import sqlite_metadata_connection_config

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.runners.local.job import Job
from pipeline.runners.local.run_dag import run_dag
from pipeline.runners.workspace.places import Workspace

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_metadata_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    config = load_config([TAXI])
    job = Job.of(config, Workspace.of(config, tmp_path), str(tmp_path), until=None)
    MetadataStore(sqlite_metadata_connection_config(job.metadata))
    with sqlite3.connect(job.metadata) as database:
        database.execute("UPDATE MLMDEnv SET schema_version = 1000")
    with pytest.raises(ConfigError, match=r"metadata\.db: cannot be used: ") as caught:
        run_dag(config, job)
    assert "move it away" in caught.value.hint


def test_a_missing_gpu_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_config([TAXI], ["training.devices=[0, 93]"])
    job = Job.of(config, Workspace.of(config, tmp_path), str(tmp_path), until=None)
    with pytest.raises(ConfigError, match=r"training\.devices: there is no GPU 93"):
        run_dag(config, job)
    assert not (tmp_path / "metadata.db").exists()
