"""The analysis covers all datasets, and leaves the files that TFT's reader expects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from area_table import make_schema
from tensorflow_transform.tf_metadata import dataset_metadata

from components.transform.analysis import analyze
from components.transform.parquet_tfxio import FilledParquetTFXIO


def from_largest(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_largest": tft.max(inputs["area"]) - inputs["area"]}


@pytest.mark.parametrize("datasets", [1, 2])
def test_the_graph_knows_the_values_of_all_datasets(tmp_path: Path, datasets: int) -> None:
    schema = make_schema()
    analysed = []
    for number in range(datasets):
        cells = pa.array([[3 + number], None], pa.large_list(pa.int64()))
        path = tmp_path / f"examples-{number}"
        pq.write_table(pa.table({"area": cells}), path)
        analysed.append(SimpleNamespace(tfxio=FilledParquetTFXIO([str(path)], schema=schema)))
    analyze(
        beam.Pipeline,
        analysed,
        from_largest,
        dataset_metadata.DatasetMetadata(schema),
        str(tmp_path / "graph"),
        temp_dir=str(tmp_path / "temporary"),
    )
    output = tft.TFTransformOutput(str(tmp_path / "graph"))
    layer = output.transform_features_layer()
    transformed = layer({"area": tf.constant([[1]], tf.int64)})["from_largest"]
    assert transformed.numpy().tolist() == [[datasets + 1]]
    assert list(output.raw_feature_spec()) == ["area"]
    assert list(output.transformed_feature_spec()) == ["from_largest"]
