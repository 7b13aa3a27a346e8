"""The announcement of a run names what waits for what, and which code runs."""

from pathlib import Path

from tfx.orchestration.metadata import sqlite_metadata_connection_config

from pipeline.config import load_config
from pipeline.core.code_digest import code_digest
from pipeline.core.contracts import Node
from pipeline.dag import Target, create_pipeline
from pipeline.keys import PREPROCESSING
from pipeline.runners.local.description import describe_pipeline

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_the_pipeline_is_described_without_running(tmp_path: Path) -> None:
    target = Target(
        pipeline_root=str(tmp_path),
        serving_directory=str(tmp_path / "serving"),
        backup_directory=str(tmp_path / "backups"),
        resolved={"reference": "", "baseline": ""},
        metadata=sqlite_metadata_connection_config(str(tmp_path / "metadata.db")),
    )
    event = describe_pipeline(create_pipeline(load_config([TAXI]), target), "2026-11-23T06:00:00")
    assert event.run_id == "2026-11-23T06:00:00"
    assert set(event.upstream) == set(event.components)
    assert event.upstream[Node.EXAMPLE_GEN] == []
    # Edges without data, too.
    assert Node.ANOMALY_GATE in event.upstream[Node.TRANSFORM]
    assert Node.TRAINER in event.upstream[Node.BASELINE]
    assert event.code["Transform"] == code_digest("components.transform.executor")
    assert event.code["Transform, loaded module"] == code_digest(PREPROCESSING)
    # TFX's own code changes with the version of the package alone.
    assert Node.SCHEMA_GEN not in event.code
