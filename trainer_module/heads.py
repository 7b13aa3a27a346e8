"""A head for each task: the network's output, its loss, its metrics and the predictions served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.config import LabelConfig
from pipeline.core.contracts import Output
from pipeline.core.errors import DataError
from trainer_module.input.row_weights import EQUAL, RowWeights

_LEAST_PROBABILITY = 1e-7
"""Just above the spacing of float32 below 1, 6e-8: a smaller margin would round to 1."""

Labels = npt.NDArray[Any]
"""Labels of the training split, [rows], encoded by `trainer_module.encoding.label`."""


def choose_second_class(logits: tf.Tensor) -> tf.Tensor:
    """Returns whether the model answers with the second of two classes, bool of the same shape.

    The rounded probability decides, since the Evaluator and the clients read this probability. The
    logit would not tell: sigmoid rounds small negative logits to 0.5, and the device decides from
    which logit on.
    """
    return tf.sigmoid(logits) >= 0.5


class Head(Protocol):
    """The part of a model that depends on the task.

    The network's output is float32 [batch, units]: logits for classes, the prediction in the
    label's unit for regression. The network's last bias starts as `bias`, the best constant
    prediction, so that the first steps do not have to learn it.
    """

    units: int
    bias: Sequence[float]

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        """Returns the network's output for the scores of a model family."""

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        """Returns the loss of each row, float32 [batch]."""

    def targets(self, labels: Labels) -> Labels:
        """Returns what scores fit directly, [rows]: the labels on the scale of the scores."""

    def combine_members(
        self, outputs: tf.Tensor, weights: Sequence[float] | None = None
    ) -> tf.Tensor:
        """Returns the output of the members' mean prediction, [batch, units].

        `outputs` are those of all members, [batch, members, units]. Each member has a weight above
        0; without `weights`, all members count the same.
        """

    def metrics(self) -> list[Any]:
        """Returns new Keras metrics of the network's output."""

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        """Returns the outputs of the serving signatures."""


def make_head(label: LabelConfig, labels: Labels, weights: RowWeights = EQUAL) -> Head:
    """Returns the head of the task, with its bias and scale taken from the training split's labels.

    Raises:
      DataError: a label is not one of `label.classes` or, for regression, not a number.
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
    """Returns the probability, kept off 0 and 1, where log loss is infinite.

    float32 rounds the probability of a confident model to 0 or 1.
    """
    return tf.clip_by_value(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)


def _choose_class(output: tf.Tensor) -> tf.Tensor:
    """Returns the index of the class that the model answers with, int64 [batch].

    This is the first of the classes with the greatest probability. softmax rounds the probabilities
    of two near logits to the same number.
    """
    return tf.argmax(tf.nn.softmax(output), axis=1)


def _is_binary_right(labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
    is_right = choose_second_class(output) == (tf.cast(labels, tf.float32) > 0.5)
    return tf.reduce_mean(tf.cast(is_right, tf.float32), axis=1)


def _is_multiclass_right(labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
    labels = tf.reshape(tf.cast(labels, tf.int64), [-1])
    return tf.cast(_choose_class(output) == labels, tf.float32)


class BinaryHead:
    """Two classes: one logit, that of the second class."""

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

    def targets(self, labels: Labels) -> Labels:
        return labels

    def combine_members(
        self, outputs: tf.Tensor, weights: Sequence[float] | None = None
    ) -> tf.Tensor:
        # The sums stand for means: the number of members cancels out in the difference.
        logs = (_weigh_logs(tf.math.log_sigmoid(o), weights) for o in (outputs, -outputs))
        yes, no = (tf.reduce_logsumexp(each, axis=1) for each in logs)
        return yes - no

    def metrics(self) -> list[Any]:
        return [
            tf_keras.metrics.AUC(from_logits=True, name="auc"),
            tf_keras.metrics.MeanMetricWrapper(_is_binary_right, name="accuracy"),
        ]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        logits = output[:, 0]
        chosen = tf.cast(choose_second_class(logits), tf.int32)
        return {
            Output.PROBABILITY: _clip_probability(tf.sigmoid(logits)),
            Output.CLASS: tf.gather(self._classes, chosen),
        }


class MulticlassHead:
    """Three or more classes: one logit for each."""

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

    def targets(self, labels: Labels) -> Labels:
        return labels

    def combine_members(
        self, outputs: tf.Tensor, weights: Sequence[float] | None = None
    ) -> tf.Tensor:
        return tf.reduce_logsumexp(_weigh_logs(tf.nn.log_softmax(outputs), weights), axis=1)

    def metrics(self) -> list[Any]:
        return [tf_keras.metrics.MeanMetricWrapper(_is_multiclass_right, name="accuracy")]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        classes = tf.constant(self._classes)
        return {
            Output.PROBABILITIES: _clip_probability(tf.nn.softmax(output)),
            Output.CLASSES: tf.repeat(classes[tf.newaxis], tf.shape(output)[0], axis=0),
            Output.CLASS: tf.gather(classes, _choose_class(output)),
        }


class RegressionHead:
    """Regression: a standardised score, scaled back to the label's unit.

    The loss is computed on the standardised scale, so that one learning rate suits a label in
    cents and a label in millions.
    """

    units: int = 1
    bias: Sequence[float] = (0.0,)

    def __init__(self, labels: Labels) -> None:
        values = labels.astype(np.float64)
        self._mean = float(values.mean())
        self.deviation = float(values.std()) or 1.0
        """Standard deviation of the labels, in the label's unit."""

    def output(self, scores: tf.Tensor) -> tf.Tensor:
        return tf_keras.layers.Rescaling(self.deviation, self._mean, dtype="float32")(scores)

    def loss(self, labels: tf.Tensor, output: tf.Tensor) -> tf.Tensor:
        scale = 1.0 / self.deviation
        return tf_keras.losses.mean_squared_error(labels * scale, output * scale)

    def targets(self, labels: Labels) -> Labels:
        standardized: Labels = (labels.astype(np.float64) - self._mean) / self.deviation
        return standardized

    def combine_members(
        self, outputs: tf.Tensor, weights: Sequence[float] | None = None
    ) -> tf.Tensor:
        if weights is None:
            return tf.reduce_mean(outputs, axis=1)
        return tf.tensordot(outputs, tf.constant(weights, tf.float32), [[1], [0]])

    def metrics(self) -> list[Any]:
        return [
            tf_keras.metrics.RootMeanSquaredError(name="rmse"),
            tf_keras.metrics.MeanAbsoluteError(name="mae"),
        ]

    def predictions(self, output: tf.Tensor) -> dict[str, tf.Tensor]:
        return {Output.PREDICTION: output[:, 0]}


def _weigh_logs(logs: tf.Tensor, weights: Sequence[float] | None) -> tf.Tensor:
    """Returns the logarithms of weighted probabilities; `logs` are [batch, members, units]."""
    if weights is None:
        return logs
    return logs + tf.math.log(tf.constant(weights, tf.float32))[:, tf.newaxis]


def _log_shares(counts: npt.NDArray[np.float64]) -> list[float]:
    """Returns the logarithm of each class's share of the rows.

    Adds half a row to each class: the share of a class without rows would have no logarithm.
    """
    shares = (counts + 0.5) / (counts.sum() + 0.5 * len(counts))
    return [float(share) for share in np.log(shares)]
