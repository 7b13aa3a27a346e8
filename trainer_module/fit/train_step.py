"""The training step: computes a batch's gradients, optionally in micro-batches, and applies them.

A batch whose activations do not fit in memory is split into micro-batches. Each row's loss is
divided by the rows of the whole batch, so that the sum of the micro-batches' gradients is the
batch's gradient, even if the last micro-batch is smaller. No gradient is kept from one step to the
next.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import tensorflow as tf
import tf_keras

from trainer_module.fit.callbacks.bad_step import FirstBadStep
from trainer_module.heads import Head
from trainer_module.models.dropout import Dropout, dropout_seed
from trainer_module.models.ngram_sums import is_ngram_weight

Batch = tuple[Any, Any, Any]
"""Features by name, labels, and weights or None; [rows, ...] each."""


class TrainingModel(tf_keras.Model):
    """A network with the project's own training step, for Keras's `fit` and for `custom_fit`.

    Args:
      network: the network to train; its weights are this model's weights.
      head: the head whose loss is minimised.
      micro_batch_size: most rows of one forward and backward pass on one replica; None for whole
        batches.
      seed: seed of the dropout.
      jit: whether XLA compiles the forward and backward pass. Keras's own `jit_compile` would also
        compile the exchange of gradients, which distribution strategies refuse.
    """

    def __init__(
        self,
        network: tf_keras.Model,
        head: Head,
        micro_batch_size: int | None = None,
        seed: int = 0,
        jit: bool = False,
    ) -> None:
        super().__init__(name=network.name)
        self.network = network
        self.first_bad_step = FirstBadStep()
        self._head = head
        self._micro_batch_size = micro_batch_size
        self._seed = seed
        self._has_dropout = any(isinstance(layer, Dropout) for layer in network.submodules)
        # The metrics stay out of the compiled function: some strategies cannot update their
        # variables inside of it.
        self._pass = tf.function(self._one_pass, jit_compile=True) if jit else self._one_pass
        self.train_batch, self.test_batch = self._train_batch, self._test_batch
        if not tf.distribute.has_strategy():
            # Keras traces its loop over the steps twice, but traces a step that is a tf.function
            # only once. With replicas, such a step could not exchange gradients.
            self.train_batch = tf.function(self.train_batch)
            self.test_batch = tf.function(self.test_batch)

    def call(self, inputs: Any, training: bool | None = None) -> tf.Tensor:
        return self.network(inputs, training=training)

    def train_step(self, data: Any) -> dict[str, tf.Tensor]:
        self.train_batch(data)
        return self.results()

    def test_step(self, data: Any) -> dict[str, tf.Tensor]:
        self.test_batch(data)
        return self.results()

    def results(self) -> dict[str, tf.Tensor]:
        """Returns the metrics over all replicas, for which the replicas of all workers meet."""
        metrics: dict[str, tf.Tensor] = self.get_metrics_result()
        return metrics

    def mean_loss(self) -> tf.Tensor:
        """Returns the mean loss over all replicas, for which they exchange two numbers."""
        mean: tf.Tensor = self.compiled_loss.metrics[0].result()
        return mean

    def _train_batch(self, data: Any) -> None:
        """Trains on a batch. The exchange of the gradients is all that replicas wait for."""
        batch = tf_keras.utils.unpack_x_y_sample_weight(data)
        outputs, gradients = self.gradients(batch)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.first_bad_step.record(self._update_metrics(batch, outputs))

    def _test_batch(self, data: Any) -> None:
        batch = tf_keras.utils.unpack_x_y_sample_weight(data)
        self._update_metrics(batch, self(batch[0], training=False))

    def _update_metrics(self, batch: Batch, outputs: tf.Tensor) -> tf.Tensor:
        """Returns the loss of this replica's batch."""
        _, labels, weights = batch
        loss = self.compiled_loss(labels, outputs, weights, regularization_losses=self.losses)
        self.compiled_metrics.update_state(labels, outputs, weights)
        return loss

    def gradients(self, batch: Batch) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """Returns the outputs and the gradients of one replica's batch, before their exchange."""
        rows = tf.shape(batch[1])[0]
        if self._micro_batch_size is None:
            outputs, gradients = self._pass(batch, rows, self._seed_of_step())
        else:
            outputs, gradients = self._piece_by_piece(batch, rows, self._micro_batch_size)
        if isinstance(self.optimizer, tf_keras.mixed_precision.LossScaleOptimizer):
            gradients = self.optimizer.get_unscaled_gradients(gradients)
        return outputs, list(gradients)

    def _piece_by_piece(
        self, batch: Batch, rows: tf.Tensor, size: int
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        seed = self._seed_of_step()

        def add_piece(index: Any, outputs: Any, sums: Any) -> tuple[Any, Any, Any]:
            piece = tf.nest.map_structure(
                lambda t: None if t is None else t[index * size : (index + 1) * size], batch
            )
            output, gradients = self._pass(piece, rows, tf.random.fold_in(seed, index))
            totals = [total + one for total, one in zip(sums, gradients, strict=True)]
            return index + 1, outputs.write(index, output), totals

        count = -(-rows // size)
        _, outputs, gradients = tf.while_loop(
            lambda index, *_: index < count,
            add_piece,
            (
                0,
                tf.TensorArray(tf.float32, count, infer_shape=False),
                [tf.zeros(variable.shape, variable.dtype) for variable in self.trainable_variables],
            ),
        )
        return tf.reshape(outputs.concat(), [rows, self.network.output_shape[-1]]), gradients

    def _seed_of_step(self) -> tf.Tensor:
        """Returns the dropout's seed, int64 [2]: another one for each step and each replica.

        Without dropout, the seed has no effect and stays the same.
        """
        seed = tf.constant([self._seed, 0], tf.int64)
        if not self._has_dropout:
            return seed
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        return tf.random.fold_in(tf.random.fold_in(seed, self.optimizer.iterations), replica)

    def _one_pass(
        self, batch: Batch, rows: tf.Tensor, seed: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """Returns the outputs and the dense gradients of the loss, scaled up for float16.

        `batch` may be a micro-batch; `rows` is the number of rows of the whole batch.
        """
        features, labels, weights = batch
        with tf.GradientTape() as tape, dropout_seed(seed):
            outputs = self(features, training=True)
            row_losses = self._row_losses(labels, outputs)
            if weights is not None:
                row_losses *= tf.reshape(weights, [-1])
            share = tf.shape(labels)[0] / rows
            loss = tf.reduce_sum(row_losses) / tf.cast(rows, tf.float32)
            loss += tf.cast(share, tf.float32) * tf.add_n([*self.losses, tf.zeros([])])
            # The optimizer adds the gradients of all replicas.
            loss /= tf.distribute.get_strategy().num_replicas_in_sync
            if isinstance(self.optimizer, tf_keras.mixed_precision.LossScaleOptimizer):
                loss = self.optimizer.get_scaled_loss(loss)
        gradients = tape.gradient(loss, self.trainable_variables)
        if _has_member_axis(outputs):
            outputs = self._head.combine_members(outputs)
        # `_make_dense` loops over Python lists, which needs no autograph.
        dense = tf.autograph.experimental.do_not_convert(_make_dense)
        return outputs, dense(self.trainable_variables, gradients)

    def _row_losses(self, labels: tf.Tensor, outputs: tf.Tensor) -> tf.Tensor:
        """Returns the loss of each row, float32 [rows].

        An ensemble's loss is the mean of its members' losses: each member learns alone.
        """
        if not _has_member_axis(outputs):
            return self._head.loss(labels, outputs)
        _, members, units = outputs.shape
        repeated = tf.repeat(labels, members, axis=0)
        losses = self._head.loss(repeated, tf.reshape(outputs, [-1, units]))
        return tf.reduce_mean(tf.reshape(losses, [-1, members]), axis=1)


def _make_dense(weights: Sequence[tf.Variable], gradients: Sequence[Any]) -> list[tf.Tensor]:
    """Returns one dense gradient per weight, zeros where the loss does not depend on the weight.

    Raises:
      ValueError: the loss depends on none of the weights of the network. The sums of n-grams, which
        every family has, do not count.
    """
    idle = [w.name for w, g in zip(weights, gradients, strict=True) if g is None]
    if idle and len(idle) == sum(not is_ngram_weight(weight) for weight in weights):
        raise ValueError(
            f"the loss depends on none of the network's weights ({', '.join(idle)}): nothing would "
            "be learned; look at the function that `model.family` or `model.blend.network` names"
        )
    if idle:
        logging.warning("The loss does not depend on %s", ", ".join(idle))
    return [
        tf.zeros(w.shape, w.dtype) if g is None else tf.convert_to_tensor(g)
        for w, g in zip(weights, gradients, strict=True)
    ]


def _has_member_axis(outputs: tf.Tensor) -> bool:
    """Whether the outputs are [rows, members, units], as an ensemble's, and not [rows, units]."""
    return bool(outputs.shape.rank == 3)
