"""The executor on artifacts of both formats, with and without a served model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.types import standard_artifacts
from tfx.utils import io_utils
from tiny_served import CODE, DTYPES, IDLE, KIND, SIZE, load, make_cells, make_settings

from components.model_figures.executor import Executor
from components.model_figures.figures import Estimate, Gap, ModelFigures
from components.predictions.artifacts import PredictionTable
from components.predictions.gaps.gaps_file import write_gaps
from components.predictions.table import write_part
from components.run_figures.artifacts import RunFigures
from components.run_figures.figures_file import read_figures
from components.served_model.artifacts import ServedModelRecord
from components.served_model.served_record import ServedRecord
from pipeline.core.contracts import ArtifactFile

ROWS = 200
_TYPES = {
    tf.float32: schema_pb2.FLOAT,
    tf.int64: schema_pb2.INT,
    tf.string: schema_pb2.BYTES,
}


def write_examples(directory: Path, cells: pa.Table, parquet: bool) -> None:
    """Writes the cells as split test in two files."""
    directory.mkdir(parents=True)
    for number, rows in enumerate((cells.slice(0, 120), cells.slice(120))):
        name = f"data-{number:05d}-of-00002"
        if parquet:
            lists = {
                n: pa.array([None if c is None else [c] for c in rows[n].to_pylist()],
                            pa.large_list(rows[n].type))
                for n in rows.column_names
            }  # fmt: skip
            path = directory / f"{name}.parquet"
            pq.write_table(pa.table(lists), path, use_compliant_nested_type=False)
        else:
            _write_tfrecord(directory / f"{name}.gz", rows.to_pylist())


def _write_tfrecord(path: Path, rows: list[dict[str, Any]]) -> None:
    lists = {SIZE: "float_list", IDLE: "float_list", KIND: "bytes_list", CODE: "int64_list"}
    with tf.io.TFRecordWriter(str(path), "GZIP") as writer:
        for row in rows:
            example = tf.train.Example()
            for name, cell in row.items():
                if cell is not None:
                    values = getattr(example.features.feature[name], lists[name])
                    values.value.append(cell)
            writer.write(example.SerializeToString())


def make_inputs(directory: Path, parquet: bool, with_served: bool) -> dict[str, Any]:
    """Writes the inputs of the component as the components before it do."""
    cells = make_cells(ROWS)
    write_examples(directory / "examples" / "Split-test", cells, parquet)
    function = load(directory / "model" / "Format-Serving", "binary")
    candidate = function.predict(function.to_values(cells))
    labels = (np.random.default_rng(0).random(ROWS) < candidate).astype(int)
    (directory / "predictions").mkdir()
    label = make_settings("binary").label
    served = np.full(ROWS, 0.5, np.float32) if with_served else None
    kinds = cells[KIND].combine_chunks().cast(pa.large_string()).cast(pa.string())
    write_part(
        str(directory / "predictions"), label, "test", np.arange(ROWS), labels, candidate, served,
        {KIND: kinds},
    )  # fmt: skip
    features = [schema_pb2.Feature(name=n, type=_TYPES[d]) for n, d in DTYPES.items()]
    schema = schema_pb2.Schema(feature=features)
    io_utils.write_pbtxt_file(str(directory / "schema" / ArtifactFile.SCHEMA), schema)
    (directory / "evaluation").mkdir()
    gap = Gap("auc", (KIND,), "a", "b", Estimate(0.1, 0.05, 0.15), 0.2, passed=True)
    write_gaps(str(directory / "evaluation"), [gap])
    record = ServedRecord("7", "", "", "", "", label.to_json(), "", "") if with_served else None
    (directory / "baseline").mkdir()
    path = directory / "baseline" / ArtifactFile.SERVED_RECORD
    path.write_text(record.to_json() if record else "{}")
    return _as_artifacts(directory, parquet)


def _as_artifacts(directory: Path, parquet: bool) -> dict[str, Any]:
    examples = standard_artifacts.Examples()
    examples.split_names = json.dumps(["test"])
    payload = "FORMAT_PARQUET" if parquet else "FORMAT_TF_EXAMPLE"
    examples.set_string_custom_property("payload_format", payload)
    file_format = "FILE_FORMAT_PARQUET" if parquet else "tfrecords_gzip"
    examples.set_string_custom_property("file_format", file_format)
    artifacts = {
        "examples": examples,
        "model": standard_artifacts.Model(),
        "schema": standard_artifacts.Schema(),
        "predictions": PredictionTable(),
        "evaluation": standard_artifacts.ModelEvaluation(),
        "baseline": ServedModelRecord(),
    }
    for name, artifact in artifacts.items():
        artifact.uri = str(directory / name)
    return {name: [artifact] for name, artifact in artifacts.items()}


@pytest.mark.parametrize(
    ("parquet", "with_served"), [(True, False), (False, True)], ids=["parquet", "tfrecord"]
)
def test_the_figures_are_written(parquet: bool, with_served: bool, tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, parquet, with_served)
    output = RunFigures()
    output.uri = str(tmp_path / "figures")
    (tmp_path / "figures").mkdir()
    settings = make_settings("binary", evaluation={"slices": [[KIND]]})
    Executor().Do(inputs, {"figures": [output]}, {"settings": settings.to_json()})
    figures = read_figures(tmp_path / "figures" / ArtifactFile.MODEL_FIGURES, ModelFigures)
    assert figures.notes == ()
    assert (figures.split, figures.examples, figures.importance_examples) == ("test", ROWS, ROWS)
    assert figures.baseline == ("7" if with_served else None)
    assert (figures.binary.served_roc is not None) == with_served
    assert [gap.columns for gap in figures.gaps] == [(KIND,)]
    assert {i.column for i in figures.importance[:2]} == {SIZE, KIND}
    assert {s.name.partition("=")[2] for s in figures.slices} == {"yes", "no", "(missing)"}
    sizes = make_cells(ROWS)[SIZE].to_pylist()
    for row in figures.wrong_rows:
        assert row.cells[SIZE] == str(np.float32(sizes[row.row]))


def test_a_lost_table_of_predictions_does_not_fail_the_run(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, parquet=True, with_served=False)
    for part in (tmp_path / "predictions").iterdir():
        part.unlink()
    (tmp_path / "evaluation" / ArtifactFile.GAPS).write_text("damaged")
    output = RunFigures()
    output.uri = str(tmp_path / "figures")
    (tmp_path / "figures").mkdir()
    settings = make_settings("binary", evaluation={"slices": [[KIND]]})
    Executor().Do(inputs, {"figures": [output]}, {"settings": settings.to_json()})
    figures = read_figures(tmp_path / "figures" / ArtifactFile.MODEL_FIGURES, ModelFigures)
    assert figures.examples == 0
    assert [note.partition(" could")[0] for note in figures.notes] == [
        "the table of predictions",
        "the gaps",
    ]
