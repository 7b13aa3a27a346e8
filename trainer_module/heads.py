"""What depends on the task: the network's last outputs, their loss, and what a client receives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.config import LabelConfig
from pipeline.core.errors import DataError
from trainer_module.input.row_weights import EQUAL, RowWeights

_LEAST_PROBABILITY = 1e-7

Labels = npt.NDArray[Any]
"""Labels of the training split, [rows], as `trainer_module.encoding.label` encodes them."""


class Head(Protocol):
    """The task's side of the model.

    The network's output is float32 [batch, units]: logits for classes, the prediction in the
    label's unit for regression. It starts from `bias`, the best constant answer, so that the
    first steps are not spent on finding it.
    """

    units: int
    bias: Sequence[float]

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        """From what the network's parts add up to, to its output."""

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        """Each row's loss, float32 [batch]."""

    def combine_members(self, outputs: tf.Tensor) -> tf.Tensor:
        """From several members' outputs, [batch, members, units], to that of their mean answer."""

    def metrics(self) -> list[Any]: ...

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        """The outputs of the serving signatures."""


def make_head(label: LabelConfig, labels: Labels, weights: RowWeights = EQUAL) -> Head:
    """The head of the task, fitted to the training split's labels.

    Raises:
      DataError: if the labels hold anything that is not a class, or not a number.
    """
    _require_valid_labels(label, labels)
    if label.task == "regression":
        return RegressionHead(labels)
    rows = np.bincount(labels.astype(np.int64), minlength=len(label.classes))
    counts = weights.class_counts(rows)
    if label.task == "binary":
        return BinaryHead(label.classes, counts)
    return MulticlassHead(label.classes, counts)


def _require_valid_labels(label: LabelConfig, labels: Labels) -> None:
    is_bad = np.isnan(labels) if label.task == "regression" else labels < 0
    if not is_bad.any():
        return
    wanted = "a number" if label.task == "regression" else f"one of {', '.join(label.classes)}"
    raise DataError(
        f"the label '{label.column}' is not {wanted} in {int(is_bad.sum())} of {len(labels)} rows",
        "correct label.classes, or the rows",
    )


def _clip_probability(probability: tf.Tensor) -> tf.Tensor:
    """float32 rounds a confident model's answer to 0 or 1, whose logarithm is no finite loss."""
    return tf.clip_by_value(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)


class BinaryHead:
    """One logit, of the second class."""

    units: int = 1
    bias: Sequence[float]

    def __init__(self, classes: Sequence[str], counts: npt.NDArray[np.float64]) -> None:
        self._classes = tuple(classes)
        negative, positive = _log_shares(counts)
        self.bias = (positive - negative,)

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        return scores

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        return tf_keras.losses.binary_crossentropy(labels, output, from_logits=True)

    def combine_members(self, outputs: tf.Tensor) -> tf.Tensor:
        # The common number of members cancels out.
        yes, no = (tf.reduce_logsumexp(tf.math.log_sigmoid(o), 1) for o in (outputs, -outputs))
        return yes - no

    def metrics(self) -> list[Any]:
        return [
            tf_keras.metrics.AUC(from_logits=True, name="auc"),
            tf_keras.metrics.BinaryAccuracy(threshold=0.0, name="accuracy"),
        ]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        probability = _clip_probability(tf.sigmoid(output[:, 0]))
        chosen = tf.cast(probability >= 0.5, tf.int32)
        return {"probability": probability, "class": tf.gather(self._classes, chosen)}


class MulticlassHead:
    """One logit a class."""

    units: int
    bias: Sequence[float]

    def __init__(self, classes: Sequence[str], counts: npt.NDArray[np.float64]) -> None:
        self._classes = tuple(classes)
        self.units = len(self._classes)
        self.bias = tuple(_log_shares(counts))

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        return scores

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        return tf_keras.losses.sparse_categorical_crossentropy(labels, output, from_logits=True)

    def combine_members(self, outputs: tf.Tensor) -> tf.Tensor:
        return tf.reduce_logsumexp(tf.nn.log_softmax(outputs), axis=1)

    def metrics(self) -> list[Any]:
        return [tf_keras.metrics.SparseCategoricalAccuracy(name="accuracy")]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        classes = tf.constant(self._classes)
        return {
            "probabilities": _clip_probability(tf.nn.softmax(output)),
            "classes": tf.repeat(classes[tf.newaxis], tf.shape(output)[0], axis=0),
            "class": tf.gather(classes, tf.argmax(output, axis=1)),
        }


class RegressionHead:
    """A standardised score, brought back to the label's unit.

    The loss is taken on the standardised scale, so that the learning rate means the same for a
    label in cents and one in millions.
    """

    units: int = 1
    bias: Sequence[float] = (0.0,)

    def __init__(self, labels: Labels) -> None:
        values = labels.astype(np.float64)
        self._mean = float(values.mean())
        self._deviation = float(values.std()) or 1.0

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        return tf_keras.layers.Rescaling(self._deviation, self._mean, dtype="float32")(scores)

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        scale = 1.0 / self._deviation
        return tf_keras.losses.mean_squared_error(labels * scale, output * scale)

    def combine_members(self, outputs: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(outputs, axis=1)

    def metrics(self) -> list[Any]:
        return [
            tf_keras.metrics.RootMeanSquaredError(name="rmse"),
            tf_keras.metrics.MeanAbsoluteError(name="mae"),
        ]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        return {"prediction": output[:, 0]}


def _log_shares(counts: npt.NDArray[np.float64]) -> list[float]:
    """Logarithms of the classes' shares; a class that never occurs counts half a row."""
    shares = (counts + 0.5) / (counts.sum() + 0.5 * len(counts))
    return [float(share) for share in np.log(shares)]
