"""A small model with its exports, made once by the executor on real artifacts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf
from tfx.types import standard_artifacts
from tiny_run import custom_config, examples_artifact, transform

from components.model_exporter.executor import Executor
from components.model_exporter.settings import ExporterSettings
from components.model_exports.artifacts import ModelExports
from components.model_exports.results import read_results
from components.predictions.artifacts import PredictionTable
from components.predictions.table import write_part
from pipeline.config import LabelConfig
from pipeline.core.events import ExportResult
from trainer_module.run import run_fn

ROWS = 400
LABEL = {"column": "y", "task": "binary", "classes": ["no", "yes"]}
EXPORTS = [
    {"format": "onnx"},
    {"format": "tflite", "quantize": "dynamic", "prune": 0.5, "quantization_aware": True,
     "may_worsen_by": 0},
]  # fmt: skip


@dataclass(frozen=True)
class Exported:
    """The artifacts and results of one run of the executor."""

    directory: Path
    test: dict[str, list[Any]]
    """The raw rows that the exports were judged on."""
    candidate: Any
    """The model's predictions of these rows."""
    results: dict[str, ExportResult]

    @property
    def pushed(self) -> Path:
        return self.directory / "exports/pushed"


def make_table(seed: int) -> dict[str, list[Any]]:
    """Returns a table whose label follows from both columns; a tenth of the cells is missing."""
    random = np.random.default_rng(seed)
    size = random.normal(size=ROWS)
    color = random.choice(["red", "gr\u00fcn", "blue"], ROWS)
    label = np.where(size + (color == "red") + random.normal(0, 0.3, ROWS) > 0.3, "yes", "no")
    gaps = random.random((2, ROWS)) < 0.1
    return {
        "gr\u00f6\u00dfe (cm)": [None if gap else float(v) for gap, v in zip(gaps[0], size)],
        "color": [None if gap else str(v) for gap, v in zip(gaps[1], color)],
        "y": [str(v) for v in label],
    }


def make_exports(root: Path) -> Exported:
    """Trains a model and exports it, in a new directory."""
    splits = {name: make_table(seed) for seed, name in enumerate(("train", "eval", "test"))}
    features = {"gr\u00f6\u00dfe (cm)": "numeric", "color": "categorical"}
    config = custom_config(
        features,
        LABEL,
        model={"family": "dnn", "hidden_units": [64, 32]},
        training={"epochs": 8, "learning_rate": 0.01, "global_batch_size": 64},
    )
    fn_args = transform(root, splits, config)
    run_fn(fn_args)
    candidate = _predict(str(fn_args.serving_model_dir), splits["test"])
    label = LabelConfig.model_validate(LABEL)
    (root / "predictions").mkdir()
    labels = np.array([value == "yes" for value in splits["test"]["y"]], np.int64)
    slices = {"color": pa.array(splits["test"]["color"], pa.string())}
    served = np.full(ROWS, 0.5, np.float32)
    write_part(
        str(root / "predictions"), label, "test", np.arange(ROWS), labels, candidate, served, slices
    )
    Executor().Do(*_make_arguments(root, list(splits), config))
    results = {result.name: result for result in read_results(str(root / "exports"))}
    return Exported(root, splits["test"], candidate, results)


def _predict(model: str, table: dict[str, list[Any]]) -> Any:
    signature = tf.saved_model.load(model).signatures["serving_default"]
    missing = {tf.float32: float("nan"), tf.string: "__MISSING__"}
    return signature(
        **{
            name: tf.constant(
                [[missing[spec.dtype] if v is None else v] for v in table[name]], spec.dtype
            )
            for name, spec in signature.structured_input_signature[1].items()
        }
    )["probability"].numpy()


def _make_arguments(root: Path, splits: list[str], config: dict[str, str]) -> tuple[Any, Any, Any]:
    artifacts = {
        "examples": examples_artifact(root / "examples", splits, parquet=True),
        "transformed_examples": examples_artifact(root / "transformed", splits, parquet=True),
        "transform_graph": standard_artifacts.TransformGraph(),
        "schema": standard_artifacts.Schema(),
        "model": standard_artifacts.Model(),
        "predictions": PredictionTable(),
    }
    for name in ("schema", "model", "predictions"):
        artifacts[name].uri = str(root / name)
    artifacts["transform_graph"].uri = str(root / "graph")
    output = ModelExports()
    output.uri = str(root / "exports")
    evaluation = {"thresholds": [{"metric": "auc", "at_least": 0.6}], "slices": [["color"]]}
    settings = {"exports": EXPORTS, "label": LABEL, "evaluation": evaluation}
    properties = {
        "settings": ExporterSettings.model_validate(settings).to_json(),
        "training_code": "trainer_module.exporting",
        "custom_config": json.dumps(config),
    }
    inputs = {name: [artifact] for name, artifact in artifacts.items()}
    return inputs, {"exports": [output]}, properties
