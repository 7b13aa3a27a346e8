"""Models with the signatures of an exported model, honest ones and others, and a sample of rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from components.serving_check.sample import Row, Sample
from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from trainer_module.signatures import rename_inputs

KINDS = {"größe (cm)": "float32", "count": "int64", "payment": "string"}
_DTYPES = {name: tf.dtypes.as_dtype(kind) for name, kind in KINDS.items()}
_MISSING = {tf.float32: float("nan"), tf.int64: MISSING_INT, tf.string: MISSING_STRING}

Predict = Callable[[Any, Any, Any], Any]
"""Returns probabilities [rows] for sizes, counts and payments, [rows] each."""


def honest(size: Any, count: Any, payment: Any) -> Any:
    """Returns probabilities between 0.1 and 0.9; a missing or unknown value has the weight 0."""
    number = tf.where(tf.math.is_nan(size), 0.0, size)
    whole = tf.where(count == MISSING_INT, tf.zeros_like(count), tf.math.floormod(count, 10))
    is_cash = tf.cast(payment == "Cash", tf.float32)
    return 0.1 + (tf.sigmoid(number) + tf.cast(whole, tf.float32) / 20 + is_cash) / 4


def save(directory: Path, predict: Predict, examples: bool = True) -> Path:
    """Writes a SavedModel; without `examples` it has no signature for tf.Examples."""

    def answer(columns: list[Any]) -> dict[str, Any]:
        probability = predict(*(column[:, 0] for column in columns))
        return {"probability": probability, "class": tf.where(probability >= 0.5, "yes", "no")}

    def answer_examples(serialized: Any) -> dict[str, Any]:
        spec = {n: tf.io.FixedLenFeature([1], t, _MISSING[t]) for n, t in _DTYPES.items()}
        parsed = tf.io.parse_example(serialized, spec)
        return answer([parsed[name] for name in KINDS])

    specs = [tf.TensorSpec([None, 1], t, f"input_{i}") for i, t in enumerate(_DTYPES.values())]
    by_column = tf.function(
        lambda input_0, input_1, input_2: answer([input_0, input_1, input_2]),
        input_signature=specs,
    )
    signatures = {"serving_default": by_column}
    if examples:
        text = tf.TensorSpec([None], tf.string, "examples")
        signatures["serving_examples"] = tf.function(answer_examples, input_signature=[text])
    tf.saved_model.save(tf.Module(), str(directory), signatures)
    renames = {f"input_{i}": name for i, name in enumerate(KINDS)}
    rename_inputs(str(directory), {"serving_default": renames})
    return directory


def make_rows(count: int = 20) -> list[Row]:
    """Returns rows, some with missing values."""
    return [
        {
            "größe (cm)": None if i % 5 == 4 else float(np.float32(i / 7 - 1)),
            "count": None if i % 7 == 6 else i,
            "payment": [None, "Cash", "Karte", "☃"][i % 4],
        }
        for i in range(count)
    ]


def make_sample() -> Sample:
    """Returns rows with the honest model's predictions."""
    rows = make_rows()
    columns = [
        tf.constant([_MISSING[t] if row[n] is None else row[n] for row in rows], t)
        for n, t in _DTYPES.items()
    ]
    return Sample(rows, honest(*columns).numpy(), "probability")
