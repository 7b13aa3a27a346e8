"""Tiny models with the signatures of an exported model, and pushes of them.

They are traced by hand, since a training takes many times as long. `tests/e2e/test_serving.py`
serves a model that the project trained.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import tensorflow as tf
from tensorflow_metadata.proto.v0 import statistics_pb2

from components.served_model.served_record import ServedRecord, reference_directory
from pipeline.core.contracts import MISSING_INT, MISSING_STRING, TIMES_FILE
from pipeline.core.files import write_text_atomically
from trainer_module.signatures import rename_inputs

LABEL = '{"column": "paid", "task": "binary", "classes": ["no", "yes"]}'
COLUMNS = {"größe (cm)": tf.float32, "count": tf.int64, "payment": tf.string}
ROW = {"größe (cm)": 1.0, "count": 2, "payment": "Cash"}
"""A row whose probability is the bias of the model plus 0.01 * (1 + 2) plus 0.1."""
MISSING_ROW = dict.fromkeys(ROW)
"""A row whose probability is the bias of the model plus 0.7."""


class _Model(tf.Module):
    """probability = bias + (size + count) / 100 + .1 for Cash + .7 if all is missing."""

    def __init__(self, bias: float) -> None:
        super().__init__()
        self.bias = tf.Variable(bias)

    def predict(self, size: tf.Tensor, count: tf.Tensor, payment: tf.Tensor) -> dict:
        size, count, payment = size[:, 0], count[:, 0], payment[:, 0]
        none = tf.math.is_nan(size) & (count == MISSING_INT) & (payment == MISSING_STRING)
        numbers = tf.where(tf.math.is_nan(size), 0.0, size) + tf.cast(
            tf.where(count == MISSING_INT, tf.constant(0, tf.int64), count), tf.float32
        )
        is_cash = tf.cast(payment == "Cash", tf.float32)
        probability = self.bias + numbers / 100 + is_cash / 10 + tf.cast(none, tf.float32) * 0.7
        text = tf.where(probability >= 0.5, "yes", "no")
        return {"probability": probability, "class": text}

    def predict_examples(self, examples: tf.Tensor) -> dict:
        missing = {tf.float32: float("nan"), tf.int64: MISSING_INT, tf.string: MISSING_STRING}
        spec = {n: tf.io.FixedLenFeature([1], t, missing[t]) for n, t in COLUMNS.items()}
        parsed = tf.io.parse_example(examples, spec)
        return self.predict(*(parsed[name] for name in COLUMNS))


def write_model(directory: Path, bias: float) -> Path:
    """Writes a SavedModel whose probabilities begin at `bias`."""
    model = _Model(bias)
    specs = [
        tf.TensorSpec([None, 1], dtype, f"input_{i}") for i, dtype in enumerate(COLUMNS.values())
    ]
    signatures = {
        "serving_default": tf.function(
            lambda input_0, input_1, input_2: model.predict(input_0, input_1, input_2),
            input_signature=specs,
        ),
        "serving_examples": tf.function(
            model.predict_examples, input_signature=[tf.TensorSpec([None], tf.string, "examples")]
        ),
    }
    tf.saved_model.save(model, str(directory), signatures)
    renames = {f"input_{i}": name for i, name in enumerate(COLUMNS)}
    rename_inputs(str(directory), {"serving_default": renames})
    return directory


def write_statistics(directory: Path) -> None:
    """Writes statistics as the Pusher keeps them: a median, and frequent and rare texts."""
    statistics = statistics_pb2.DatasetFeatureStatisticsList()
    dataset = statistics.datasets.add()
    size = dataset.features.add()
    size.path.step.append("größe (cm)")
    size.num_stats.median = 1.23456
    payment = dataset.features.add()
    payment.path.step.append("payment")
    for value, frequency in (("Cash", 90), ("Card", 30), ("Ann Smith", 1)):
        top = payment.string_stats.top_values.add()
        top.value, top.frequency = value, frequency
    (directory / "Split-train").mkdir(parents=True)
    (directory / "Split-train" / "FeatureStats.pb").write_bytes(statistics.SerializeToString())


def point_to(serving: Path, version: str) -> None:
    """Makes a version that lies in the serving directory the served one, as the Pusher does."""
    directory = serving / version
    files = {
        str(path.relative_to(directory)): path.stat().st_size
        for path in directory.rglob("*")
        if path.is_file()
    }
    record = ServedRecord(version, "model", "", "", "", LABEL, "data", "run", files)
    write_text_atomically(serving / "served.json", record.to_json(), durable=False)


def push(serving: Path, version: str, bias: float) -> None:
    """Pushes a tiny model."""
    write_model(serving / version, bias)
    write_statistics(Path(reference_directory(os.fspath(serving), version), "statistics"))
    point_to(serving, version)


def write_times(model: Path, **formats: str) -> None:
    """Writes the formats in which a model reads the times of columns, as the exporter does."""
    path = model / TIMES_FILE
    path.parent.mkdir(exist_ok=True)
    times = {name: {"format": form, "zone": "as_written"} for name, form in formats.items()}
    path.write_text(json.dumps(times), encoding="utf-8")
