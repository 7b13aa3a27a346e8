"""The executor on real artifacts of a split with missing values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from made_models import KINDS, honest, make_sample, save
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import standard_artifacts
from tfx.utils import io_utils

from components.predictions.artifacts import PredictionTable
from components.predictions.table import write_part
from components.serving_check.blessing import read_result
from components.serving_check.executor import Executor
from components.serving_check.settings import CheckSettings
from pipeline.config import CheckConfig, LabelConfig
from pipeline.core.contracts import ArtifactFile

_ARROW = {"float32": pa.float32(), "int64": pa.int64(), "string": pa.large_binary()}
_SCHEMA = {"float32": schema_pb2.FLOAT, "int64": schema_pb2.INT, "string": schema_pb2.BYTES}
LABEL = LabelConfig(column="tipped", task="binary", classes=("no", "yes"))


def make_inputs(directory: Path) -> dict[str, Any]:
    """Writes the inputs of the component, with an honest model."""
    sample = make_sample()
    split = directory / "examples" / "Split-test"
    split.mkdir(parents=True)
    cells = {
        name: pa.array(
            [None if row[name] is None else [row[name]] for row in sample.rows],
            pa.large_list(pa.large_string() if kind == "string" else _ARROW[kind]),
        ).cast(pa.large_list(_ARROW[kind]))
        for name, kind in KINDS.items()
    }
    path = split / "data-00000-of-00001.parquet"
    pq.write_table(pa.table(cells), path, use_compliant_nested_type=False)
    save(directory / "model" / "Format-Serving", honest)
    (directory / "predictions").mkdir()
    rows, labels = np.arange(len(sample.rows)), np.zeros(len(sample.rows), np.int64)
    table = str(directory / "predictions")
    write_part(table, LABEL, "test", rows, labels, sample.predictions, None, {})
    features = [schema_pb2.Feature(name=n, type=_SCHEMA[k]) for n, k in KINDS.items()]
    schema = schema_pb2.Schema(feature=features)
    io_utils.write_pbtxt_file(str(directory / "schema" / ArtifactFile.SCHEMA), schema)
    examples = standard_artifacts.Examples()
    examples.split_names = json.dumps(["test"])
    examples.set_string_custom_property("payload_format", "FORMAT_PARQUET")
    examples.set_string_custom_property("file_format", "FILE_FORMAT_PARQUET")
    artifacts = {
        "examples": examples,
        "model": standard_artifacts.Model(),
        "schema": standard_artifacts.Schema(),
        "predictions": PredictionTable(),
        "model_blessing": standard_artifacts.ModelBlessing(),
    }
    for name, artifact in artifacts.items():
        artifact.uri = str(directory / name)
    return {name: [artifact] for name, artifact in artifacts.items()}


def test_a_blessed_model_is_asked_and_another_one_is_not(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path)
    settings = CheckSettings(check=CheckConfig(), columns=tuple(KINDS)).to_json()
    for blessed, passed in ((0, None), (1, True)):
        inputs["model_blessing"][0].set_int_custom_property("blessed", blessed)
        output = standard_artifacts.InfraBlessing()
        output.uri = str(tmp_path / f"blessing-{blessed}")
        Path(output.uri).mkdir()
        Executor().Do(inputs, {"blessing": [output]}, {"settings": settings})
        result = read_result(output.uri)
        assert (result and result.passed) is passed, result
        assert output.get_int_custom_property("blessed") == blessed
    assert result is not None
    assert result.rows == 20
