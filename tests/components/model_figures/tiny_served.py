"""A SavedModel whose answers are known, and rows for it.

The score of a row is its size, and 2 more if its kind is yes. A missing size counts as 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import tensorflow as tf

from components.model_figures.sensitivity.served_function import ServedFunction
from components.model_figures.settings import FigureSettings
from components.predictions.table import Predictions
from pipeline.config import Task
from pipeline.core.contracts import MISSING_INT, Output
from trainer_module.signatures import plain_names, rename_inputs

SIZE, KIND, IDLE, CODE = 'größe ("cm")', "kind\n🚕", "idle", "code"
DTYPES = {SIZE: tf.float32, KIND: tf.string, IDLE: tf.float32, CODE: tf.int64}
KINDS = {SIZE: "numeric", KIND: "categorical", IDLE: "numeric", CODE: "categorical"}
CLASSES: dict[Task, tuple[str, ...]] = {
    "binary": ("no", "yes"),
    "multiclass": ("a", "b", "<script>"),
    "regression": (),
}


def save_model(directory: Path, task: Task) -> Path:
    plain = plain_names(DTYPES)

    @tf.function
    def serve(**inputs: Any) -> dict[str, Any]:
        size = inputs[plain[SIZE]][:, 0]
        score = tf.where(tf.math.is_nan(size), 0.0, size)
        score += 2.0 * tf.cast(inputs[plain[KIND]][:, 0] == "yes", tf.float32)
        # Every input must stay in the graph.
        score += 0.0 * tf.cast(inputs[plain[CODE]][:, 0] > 0, tf.float32)
        score += 0.0 * tf.cast(inputs[plain[IDLE]][:, 0] > 0, tf.float32)
        return {Output.BY_TASK[task]: _answer(task, score)}

    specs = {n: tf.TensorSpec([None, 1], DTYPES[c], n) for c, n in plain.items()}
    module = tf.Module()
    signature = serve.get_concrete_function(**specs)
    tf.saved_model.save(module, str(directory), signatures={"serving_default": signature})
    names = {n: column for column, n in plain.items()}
    rename_inputs(str(directory), {"serving_default": names})
    return directory


def _answer(task: Task, score: Any) -> Any:
    if task == "binary":
        return tf.sigmoid(score)
    if task == "regression":
        return score
    return tf.nn.softmax(tf.stack([tf.zeros_like(score), score, -score], axis=1))


def make_cells(rows: int = 600, seed: int = 0) -> pa.Table:
    """Returns raw cells; every tenth kind and code is missing, but no size."""
    random = np.random.default_rng(seed)
    gaps = np.arange(rows) % 10 == 0
    kind = random.choice([b"yes", b"no"], rows)
    return pa.table(
        {
            SIZE: pa.array(random.normal(size=rows), pa.float32()),
            KIND: pa.array(kind.astype(object), pa.large_binary(), mask=gaps),
            IDLE: pa.array(random.normal(size=rows), pa.float32(), mask=gaps),
            CODE: pa.array(random.integers(0, 9, rows), pa.int64(), mask=gaps),
        }
    )


def load(directory: Path, task: Task) -> ServedFunction:
    return ServedFunction(str(save_model(directory, task)), Output.BY_TASK[task])


def make_predictions(
    task: Task, labels: Any, candidate: Any, served: Any = None, slices: Any = None
) -> Predictions:
    count = len(labels)
    return Predictions(
        task=task,
        classes=CLASSES[task],
        split="test",
        rows=np.arange(count),
        labels=np.asarray(labels),
        candidate=np.asarray(candidate, np.float32),
        served=None if served is None else np.asarray(served, np.float32),
        slices=slices or {},
        total=count,
    )


def make_settings(task: Task, **changes: Any) -> FigureSettings:
    metric = {"binary": "auc", "multiclass": "accuracy", "regression": "mae"}[task]
    evaluation = {"thresholds": [{"metric": metric, "at_most": 9}], "min_slice_size": 5}
    fields = {
        "label": {"column": "y", "task": task, "classes": CLASSES[task]},
        "evaluation": evaluation | changes.pop("evaluation", {}),
        "kinds": KINDS,
        "time_formats": {},
        "rows": True,
    }
    return FigureSettings.model_validate(fields | changes)


NO_CODE = MISSING_INT
