"""Each run's answer to a query has its own fingerprint, in TFX's own runner."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
import tensorflow as tf
from tfx.components.example_gen.base_example_gen_executor import BaseExampleGenExecutor
from tfx.dsl.components.base import executor_spec
from tfx.orchestration import metadata
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.pipeline import Pipeline

from components.columnar_example_gen.component import build_output_config
from components.query_example_gen.component import QueryExampleGen
from components.record_splits.settings import RecordSettings
from pipeline.config import SplitConfig
from pipeline.core.contracts import Property

pytestmark = pytest.mark.slow

SETTINGS = RecordSettings(SplitConfig(), "y", 0.05)


@beam.ptransform_fn
def _rows(pipeline: Any, exec_properties: dict[str, Any], pattern: str) -> Any:
    value = tf.train.Feature(bytes_list=tf.train.BytesList(value=[pattern.encode()]))
    row = tf.train.Example(features=tf.train.Features(feature={"query": value}))
    return pipeline | beam.Create([row] * 20)


class QueryAsRowsExecutor(BaseExampleGenExecutor):
    """Writes rows that hold the query, in place of BigQuery."""

    def GetInputSourceToExamplePTransform(self) -> Any:  # noqa: N802
        return _rows


class OfflineExampleGen(QueryExampleGen):
    """QueryExampleGen that sends nothing to BigQuery."""

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(QueryAsRowsExecutor)


def run(directory: Path, answer: str) -> list[str]:
    """Runs the component, and returns the fingerprints of all Examples so far."""
    connection = metadata.sqlite_metadata_connection_config(str(directory / "metadata.db"))
    component = OfflineExampleGen("SELECT 1", build_output_config(SplitConfig()), SETTINGS, answer)
    LocalDagRunner().run(
        Pipeline(
            pipeline_name="asked",
            pipeline_root=str(directory),
            components=[component],
            enable_cache=True,
            metadata_connection_config=connection,
        )
    )
    with metadata.Metadata(connection) as handle:
        artifacts = handle.store.get_artifacts_by_type("Examples")
    return [a.custom_properties[Property.INPUT_FINGERPRINT].string_value for a in artifacts]


def test_each_new_name_sends_the_query_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Beam's executors parse the command line, and would refuse the arguments of pytest.
    monkeypatch.setattr(sys, "argv", sys.argv[:1])
    assert run(tmp_path, "run-1") == ["run-1"]
    assert run(tmp_path, "run-1") == ["run-1"], "equal names are taken from the cache"
    assert run(tmp_path, "run-2") == ["run-1", "run-2"]
