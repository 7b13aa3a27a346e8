"""A completed schema reads rows as dense tensors, and keeps what it already had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx_bsl.tfxio import parquet_tfxio, tensor_adapter

from components.schema_curator.curate import curate_schema
from components.schema_curator.rules import CurationRules
from components.schema_curator.schema_defaults import default_value, fill_in_defaults
from components.statistics_view.column_summary import ColumnSummary, summarize_columns
from pipeline.config import LabelConfig
from pipeline.config.sections.beam import RUNNER

RULES = CurationRules(
    kinds={"fare (€)": "numeric", "pay.by": "categorical", "n": "categorical"},
    label=LabelConfig(column="y", task="binary", classes=("no", "yes")),
    imported=False,
    reference="served",
    max_domain=100,
    new_category_share=0.01,
    missing_values_rise=0.1,
)
SERVED = pd.DataFrame(
    {
        "fare (€)": [1.0, None, 3.0],
        "pay.by": ["Cash", None, "Cash"],
        "n": [1, 2, 3],
        "unused": ["p", "q", "p"],
        "y": ["no", "yes", "no"],
    }
)
TYPES = {"f": pa.float32(), "i": pa.int64(), "O": pa.large_binary()}


def observed(table: pd.DataFrame) -> dict[str, ColumnSummary]:
    return summarize_columns([tfdv.generate_statistics_from_dataframe(table).datasets[0]])


def curated(table: pd.DataFrame) -> schema_pb2.Schema:
    known = observed(SERVED)
    inferred = tfdv.infer_schema(tfdv.generate_statistics_from_dataframe(SERVED))
    served = curate_schema(inferred, "inferred", known, known, RULES)
    return curate_schema(served, "served", observed(table), known, RULES)


def write_table(table: pa.Table, path: Path) -> None:
    # Newer Arrow would give list items another name than TFX gives them in memory.
    pq.write_table(table, path, use_compliant_nested_type=False)


def write(table: pd.DataFrame, path: Path) -> None:
    def cell(value: Any) -> list[Any] | None:
        if pd.isna(value):
            return None
        return [value.encode() if isinstance(value, str) else value]

    columns = {
        name: pa.array(map(cell, table[name]), pa.large_list(TYPES[table[name].dtype.kind]))
        for name in sorted(table)
    }
    write_table(pa.table(columns), path)


def read(path: Path, schema: schema_pb2.Schema, columns: list[str]) -> dict[str, np.ndarray]:
    """Reads the columns as Transform does: projected, then adapted to tensors."""
    tfxio = parquet_tfxio.ParquetTFXIO(str(path), schema=schema).Project(columns)
    adapter = tensor_adapter.TensorAdapter(tfxio.TensorAdapterConfig())
    copy = path.with_suffix(".read")
    with beam.Pipeline(argv=[RUNNER]) as pipeline:
        _ = (
            pipeline
            | tfxio.BeamSource(batch_size=10)
            | beam.Map(lambda batch: write_table(pa.Table.from_batches([batch]), copy))
        )
    (batch,) = pq.read_table(copy).to_batches()
    return {name: tensor.numpy() for name, tensor in adapter.ToBatchTensors(batch).items()}


@pytest.mark.parametrize(
    "table",
    [
        SERVED,
        SERVED.assign(**{"Before all": 1.0, "zuletzt": "x"}),
        SERVED.drop(columns="unused"),
    ],
    ids=["unchanged", "new columns", "an unused column missing"],
)
def test_tables_that_pass_the_gate_are_read_as_dense_tensors(
    table: pd.DataFrame, tmp_path: Path
) -> None:
    path = tmp_path / "data-00000-of-00001.parquet"
    write(table, path)
    tensors = read(path, curated(table), [*RULES.kinds, "y"])
    assert {name: tensor.shape for name, tensor in tensors.items()} == dict.fromkeys(
        [*RULES.kinds, "y"], (3, 1)
    )
    assert np.isnan(tensors["fare (€)"][1, 0])
    assert tensors["pay.by"].ravel().tolist() == [b"Cash", b"__MISSING__", b"Cash"]


def test_default_values_mark_missing_values_of_each_type() -> None:
    assert np.isnan(default_value(schema_pb2.FLOAT).float_value)
    assert default_value(schema_pb2.INT).int_value == -(2**63)
    assert default_value(schema_pb2.BYTES).bytes_value == b"__MISSING__"


def test_constraints_and_environments_that_a_schema_has_are_kept() -> None:
    schema = schema_pb2.Schema(default_environment=["TRAINING"])
    label = schema.feature.add(name="y", type=schema_pb2.BYTES)
    label.presence.min_count = 7
    fare = schema.feature.add(name="fare (€)", type=schema_pb2.FLOAT)
    fare.float_domain.disallow_inf = False
    fill_in_defaults(schema, {}, RULES)
    fare, label = schema.feature
    assert (label.presence.min_count, label.presence.HasField("min_fraction")) == (7, False)
    assert not fare.float_domain.disallow_inf
    assert list(schema.default_environment) == ["TRAINING"]
    assert not label.not_in_environment
