"""The rows of a query, in TFX's own runner; only what Google would answer is made up."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apache_beam as beam
import google.auth
import pyarrow as pa
import pytest
import tensorflow as tf
from ml_metadata.proto import metadata_store_pb2 as mlmd
from tfx.extensions.google_cloud_big_query import utils
from tfx.extensions.google_cloud_big_query.example_gen import executor
from tfx.orchestration import metadata
from tfx.orchestration.local.local_dag_runner import LocalDagRunner
from tfx.orchestration.pipeline import Pipeline

from components.columnar_example_gen.component import build_output_config
from components.query_example_gen.component import QueryExampleGen
from components.record_splits.settings import RecordSettings
from components.tables.splitting.splits import KeySplitter
from pipeline.config import SplitConfig
from pipeline.core.contracts import Property, Split

pytestmark = pytest.mark.slow

SETTINGS = RecordSettings(SplitConfig(by="key", column="customer", seed=7), "y", 0.05)
TYPES = {"customer": "STRING", "spent": "FLOAT", "y": "INTEGER"}
ROWS: list[dict[str, Any]] = [
    {"customer": f"c{row % 60}", "spent": row / 7, "y": None if row == 11 else row % 2}
    for row in range(300)
]


class Google:
    """BigQuery's client, which TFX asks for the types of the columns."""

    def __init__(self, project: str | None) -> None: ...

    def query(self, query: str) -> Google:
        assert "SELECT 1" in query
        return self

    def result(self) -> Any:
        schema = [SimpleNamespace(name=name, field_type=kind) for name, kind in TYPES.items()]
        return SimpleNamespace(schema=schema)


@beam.ptransform_fn
def answer_rows(pipeline: Any, query: str, big_query_custom_config: Any = None) -> Any:
    assert (query, big_query_custom_config) == ("SELECT 1", None)
    return pipeline | beam.Create(ROWS)


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(google.auth, "default", lambda: None)
    monkeypatch.setattr(executor.bigquery, "Client", Google)
    monkeypatch.setattr(utils, "ReadFromBigQuery", answer_rows)
    # Beam's executors parse the command line, and would refuse the arguments of pytest.
    monkeypatch.setattr(sys, "argv", sys.argv[:1])


def run(directory: Path, answer: str, settings: RecordSettings = SETTINGS) -> list[mlmd.Artifact]:
    """Runs the component, and returns all Examples so far."""
    connection = metadata.sqlite_metadata_connection_config(str(directory / "metadata.db"))
    component = QueryExampleGen("SELECT 1", build_output_config(settings.split), settings, answer)
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
        return list(handle.store.get_artifacts_by_type("Examples"))


def read_split(examples: mlmd.Artifact, split: str) -> list[tuple[str, float]]:
    """Returns customer and `spent` of each record of a split, in order."""
    files = [str(path) for path in Path(examples.uri, f"Split-{split}").iterdir()]
    pairs = []
    for record in tf.data.TFRecordDataset(files, compression_type="GZIP").as_numpy_iterator():
        features = tf.train.Example.FromString(record).features.feature
        customer, spent = features["customer"].bytes_list, features["spent"].float_list
        pairs.append((customer.value[0].decode(), round(spent.value[0], 3)))
    return sorted(pairs)


def test_each_new_name_sends_the_query_again(tmp_path: Path) -> None:
    def fingerprints(answer: str) -> list[str]:
        found = run(tmp_path, answer)
        return [a.custom_properties[Property.INPUT_FINGERPRINT].string_value for a in found]

    assert fingerprints("run-1") == ["run-1"]
    assert fingerprints("run-1") == ["run-1"], "equal names are taken from the cache"
    assert fingerprints("run-2") == ["run-1", "run-2"]


def test_the_rows_of_a_query_are_split_as_the_rows_of_a_table(tmp_path: Path) -> None:
    [examples] = run(tmp_path, "run-1")
    used = [row for row in ROWS if row["y"] is not None]
    table = pa.RecordBatch.from_pydict({"customer": [row["customer"] for row in used]})
    splits = KeySplitter(SETTINGS.split, "customer").assign(table)
    for number, name in enumerate(Split.ALL):
        rows = [row for row, split in zip(used, splits, strict=True) if split == number]
        expected = sorted((row["customer"], round(row["spent"], 3)) for row in rows)
        assert expected
        assert read_split(examples, name) == expected
    counted = json.loads(examples.custom_properties[Property.ROWS].string_value)
    assert sum(counted.values()) == len(used)
    assert examples.custom_properties[Property.ROWS_WITHOUT_LABEL].int_value == 1


def test_another_seed_splits_the_rows_of_a_query_in_another_way(tmp_path: Path) -> None:
    other = dataclasses.replace(SETTINGS, split=SETTINGS.split.model_copy(update={"seed": 8}))
    [one] = run(tmp_path / "one", "run-1")
    [two] = run(tmp_path / "two", "run-1", other)
    assert read_split(one, Split.TEST) != read_split(two, Split.TEST)
