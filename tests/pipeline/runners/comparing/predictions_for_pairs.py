"""Predictions of two models for the same rows."""

import numpy as np
import pyarrow as pa

from components.predictions.table import Predictions
from components.predictions.terms import Array


def binary(candidate: Array, labels: Array) -> Predictions:
    """Returns a binary model's probabilities; the slices are halves of the rows."""
    rows = len(labels)
    half = pa.array(["first" if i < rows // 2 else "second" for i in range(rows)])
    return Predictions(
        task="binary",
        classes=("no", "yes"),
        split="test",
        rows=np.arange(rows),
        labels=labels.astype(np.int64),
        candidate=candidate.astype(np.float32),
        served=None,
        slices={"half": half},
        total=rows + 5,
    )


def regression(candidate: Array, labels: Array) -> Predictions:
    return Predictions(
        "regression", (), "test", np.arange(len(labels)), labels, candidate, None, {}, len(labels)
    )
