"""The executor on artifacts of both formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from deliveries import FARE, PAY, ZIP, as_list, config, gate_rules, table
from tables import make_inputs
from tfx.types import standard_artifacts
from tfx.utils import io_utils

from components.data_figures.executor import Executor
from components.data_figures.figures import DataFigures
from components.findings.artifacts import DataFindings
from components.run_figures.artifacts import RunFigures
from components.run_figures.figures_file import read_figures
from components.served_model.artifacts import ServedModelRecord
from pipeline.core.contracts import ArtifactFile


def write_parquet(path: Path, data: pd.DataFrame) -> None:
    kinds = {"O": pa.large_binary(), "f": pa.float32(), "i": pa.int64()}
    lists = {
        name: pa.array(
            [None if pd.isna(c) else [c.encode() if isinstance(c, str) else c] for c in cells],
            pa.large_list(kinds[cells.dtype.kind]),
        )
        for name, cells in data.items()
    }
    pq.write_table(pa.table(lists), path, use_compliant_nested_type=False)


def write_tfrecord(path: Path, data: pd.DataFrame) -> None:
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for row in data.to_dict("records"):
            example = tf.train.Example()
            for name, cell in row.items():
                feature = example.features.feature[name]
                if isinstance(cell, str):
                    feature.bytes_list.value.append(cell.encode())
                elif isinstance(cell, int):
                    feature.int64_list.value.append(cell)
                elif not pd.isna(cell):
                    feature.float_list.value.append(cell)
            writer.write(example.SerializeToString())


def write_artifacts(directory: Path, data: pd.DataFrame, parquet: bool) -> dict[str, Any]:
    """Writes the inputs of the component as the components before it do."""
    inputs = make_inputs(data)
    for split, statistics in inputs.statistics.items():
        path = directory / "statistics" / f"Split-{split}" / ArtifactFile.STATISTICS
        path.parent.mkdir(parents=True)
        path.write_bytes(as_list(statistics).SerializeToString())
    io_utils.write_pbtxt_file(str(directory / "schema" / ArtifactFile.SCHEMA), inputs.schema)
    for name, text in (("findings", inputs.findings.to_json()), ("reference", "{}")):
        (directory / name).mkdir()
        file = {"findings": ArtifactFile.FINDINGS, "reference": ArtifactFile.SERVED_RECORD}[name]
        (directory / name / file).write_text(text)
    kind = ("FORMAT_TF_EXAMPLE", "tfrecords_gzip")
    if parquet:
        kind = ("FORMAT_PARQUET", "FILE_FORMAT_PARQUET")
    writer, suffix = (write_parquet, "parquet") if parquet else (write_tfrecord, "gz")
    ends = [0, len(data) * 8 // 10, len(data) * 9 // 10, len(data)]
    for split, begin, end in zip(inputs.statistics, ends, ends[1:], strict=False):
        path = directory / "examples" / f"Split-{split}" / f"data-00000-of-00001.{suffix}"
        path.parent.mkdir(parents=True)
        writer(path, data.iloc[begin:end])
    artifacts = {
        "examples": standard_artifacts.Examples(),
        "statistics": standard_artifacts.ExampleStatistics(),
        "schema": standard_artifacts.Schema(),
        "findings": DataFindings(),
        "reference": ServedModelRecord(),
    }
    for name, artifact in artifacts.items():
        artifact.uri = str(directory / name)
    artifacts["examples"].split_names = json.dumps(list(inputs.statistics))
    artifacts["examples"].set_string_custom_property("payload_format", kind[0])
    artifacts["examples"].set_string_custom_property("file_format", kind[1])
    return {name: [artifact] for name, artifact in artifacts.items()}


@pytest.mark.parametrize("parquet", [True, False], ids=["parquet", "tfrecord"])
def test_the_figures_are_written(parquet: bool, tmp_path: Path) -> None:
    inputs = write_artifacts(tmp_path, table(), parquet)
    output = RunFigures()
    output.uri = str(tmp_path / "figures")
    (tmp_path / "figures").mkdir()
    settings = config()
    properties = {"rules": gate_rules(settings).to_json(), "label": settings.label.to_json()}
    Executor().Do(inputs, {"figures": [output]}, properties)
    figures = read_figures(tmp_path / "figures" / ArtifactFile.DATA_FIGURES, DataFigures)
    assert figures.notes == ()
    assert figures.associations.rows == 800
    fare = next(c for c in figures.columns if c.name == FARE)
    assert fare.histogram.estimated == ()
    assert dict(fare.histogram.values) == {"train": 800, "eval": 100, "test": 100}
    assert set(figures.associations.columns) == {"y", FARE, PAY, ZIP, "when"}
    assert [c.with_label is not None for c in figures.columns if c.role == "feature"] == [True] * 4
    assert set(inputs) == {"examples", "statistics", "schema", "findings", "reference"}
