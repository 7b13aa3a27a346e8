"""Runs TFX's Transform on tiny tables, written as ExampleGen and the schema curator write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf
from pydantic import TypeAdapter
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.components.trainer.fn_args_utils import FnArgs
from tfx.dsl.components.base import base_beam_executor
from tfx.types import standard_artifacts
from tfx.utils import io_utils

from components.quick_beam import quicken_beam
from components.transform.executor import Executor
from pipeline.config import Features, LabelConfig, ModelConfig, TrainingConfig
from pipeline.config.sections.beam import BeamConfig
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

Table = Mapping[str, list[Any]]

BEAM_ARGS = list(BeamConfig().args)

_ARROW_TYPES = {"int": pa.int64(), "float": pa.float32(), "string": pa.large_binary()}


def custom_config(
    features: Mapping[str, Any],
    label: Mapping[str, Any],
    model: Mapping[str, Any] | None = None,
    training: Mapping[str, Any] | None = None,
    **others: str,
) -> dict[str, str]:
    parsed = TypeAdapter(Features).validate_python(features)
    return {
        "features": TypeAdapter(Features).dump_json(parsed).decode(),
        "label": LabelConfig.model_validate(label).to_json(),
        "model": ModelConfig.model_validate(model or {}).to_json(),
        "training": TrainingConfig.model_validate(training or {}).to_json(),
        "code": "digest",
    } | others


def column_type(values: list[Any]) -> str:
    present = [value for value in values if value is not None]
    if all(isinstance(value, int) for value in present) and present:
        return "int"
    return "string" if any(isinstance(value, (str, bytes)) for value in present) else "float"


def write_parquet(path: Path, table: Table, types: Mapping[str, str]) -> None:
    arrays = {}
    for name in sorted(table):
        value_type = _ARROW_TYPES[types[name]]
        cells = [
            None if v is None else [v.encode() if isinstance(v, str) else v] for v in table[name]
        ]
        arrays[name] = pa.array(cells, pa.large_list(value_type))
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(arrays), path, use_compliant_nested_type=False)


def write_tfrecord(path: Path, table: Table, types: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for index in range(len(next(iter(table.values())))):
            row = {name: values[index] for name, values in table.items()}
            writer.write(to_example(row, types).SerializeToString())


def to_example(row: Mapping[str, Any], types: Mapping[str, str]) -> tf.train.Example:
    example = tf.train.Example()
    for name, value in row.items():
        if value is None:
            continue
        feature = example.features.feature[name]
        if types[name] == "int":
            feature.int64_list.value.append(value)
        elif types[name] == "float":
            feature.float_list.value.append(value)
        else:
            feature.bytes_list.value.append(value.encode() if isinstance(value, str) else value)
    return example


def write_schema(path: Path, types: Mapping[str, str]) -> None:
    schema = schema_pb2.Schema()
    dense = schema.tensor_representation_group[""].tensor_representation
    for name in sorted(types):
        feature = schema.feature.add(name=name)
        default = dense[name].dense_tensor.default_value
        dense[name].dense_tensor.column_name = name
        dense[name].dense_tensor.shape.dim.add(size=1)
        if types[name] == "int":
            feature.type, default.int_value = schema_pb2.INT, MISSING_INT
        elif types[name] == "float":
            feature.type, default.float_value = schema_pb2.FLOAT, float("nan")
        else:
            feature.type, default.bytes_value = schema_pb2.BYTES, MISSING_STRING.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    io_utils.write_pbtxt_file(str(path), schema)


def transform(
    root: Path,
    splits: Mapping[str, Table],
    config: Mapping[str, str],
    types: Mapping[str, str] | None = None,
    parquet: bool = True,
) -> FnArgs:
    """Writes and transforms the tables below `root`; returns the trainer's arguments."""
    types = types or {n: column_type(v) for n, v in splits["train"].items()}
    for split, table in splits.items():
        folder = root / "examples" / f"Split-{split}"
        if parquet:
            write_parquet(folder / "data-00000-of-00001.parquet", table, types)
        else:
            write_tfrecord(folder / "data-00000-of-00001.gz", table, types)
    write_schema(root / "schema" / "schema.pbtxt", types)
    run_transform(root, examples_artifact(root / "examples", list(splits), parquet), config)
    return FnArgs(
        train_files=[f"{root}/transformed/Split-train/*"],
        eval_files=[f"{root}/transformed/Split-eval/*"],
        transform_graph_path=str(root / "graph"),
        schema_path=str(root / "schema" / "schema.pbtxt"),
        serving_model_dir=str(root / "model" / "Format-Serving"),
        model_run_dir=str(root / "model_run"),
        custom_config=dict(config) | {"backup_directory": str(root / "backup")},
    )


def run_transform(
    root: Path,
    examples: standard_artifacts.Examples,
    config: Mapping[str, str],
    beam_args: list[str] = BEAM_ARGS,
) -> standard_artifacts.TransformGraph:
    """Transforms the examples with the schema below `root`, and writes the results below `root`."""
    quicken_beam()  # As the runners do.
    schema, graph = standard_artifacts.Schema(), standard_artifacts.TransformGraph()
    schema.uri, graph.uri = str(root / "schema"), str(root / "graph")
    transformed = standard_artifacts.Examples()
    transformed.uri = str(root / "transformed")
    context = base_beam_executor.BaseBeamExecutor.Context(
        beam_pipeline_args=beam_args,
        tmp_dir=str(root / "tmp"),
        unique_id="1",
    )
    Executor(context).Do(
        {"examples": [examples], "schema": [schema]},
        {"transform_graph": [graph], "transformed_examples": [transformed]},
        {
            "preprocessing_fn": "trainer_module.preprocessing.preprocessing_fn",
            "custom_config": json.dumps(dict(config)),
            "disable_statistics": 1,
        },
    )
    return graph


def examples_artifact(uri: Path, splits: list[str], parquet: bool) -> standard_artifacts.Examples:
    artifact = standard_artifacts.Examples()
    artifact.uri = str(uri)
    artifact.split_names = json.dumps(splits)
    if parquet:
        artifact.set_string_custom_property("payload_format", "FORMAT_PARQUET")
        artifact.set_string_custom_property("file_format", "FILE_FORMAT_PARQUET")
    else:
        artifact.set_string_custom_property("payload_format", "FORMAT_TF_EXAMPLE")
        artifact.set_string_custom_property("file_format", "tfrecords_gzip")
    return artifact
