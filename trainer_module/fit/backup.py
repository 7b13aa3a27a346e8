"""What a fit has to remember to go on after an interruption as if there had been none.

Keras's BackupAndRestore keeps the weights and the epoch, but forgets how long early stopping has
been waiting and which weights were the best so far. Here all of it is in one checkpoint, written
at the end of each epoch and, of long epochs, within: it is either whole or not there.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import tempfile
import time
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tf_keras

from pipeline.config import TrainingConfig
from pipeline.core.errors import PipelineError
from pipeline.core.files import sync

_LATEST = "checkpoint"
"""The file in which TensorFlow notes which checkpoint is the last."""

Weights = list[npt.NDArray[np.generic]]


class FitState(tf.train.experimental.PythonState):
    """The finished epochs and the weights of the best of them, the one of the lowest eval loss."""

    def __init__(self) -> None:
        self.epochs: list[dict[str, float]] = []
        self.step = 0
        """The steps done of the epoch that has begun."""
        self.best_weights: Weights = []

    @property
    def best_epoch(self) -> int | None:
        """Counted from 0; None before an epoch with a finite eval loss has ended."""
        losses = [epoch["eval_loss"] for epoch in self.epochs]
        finite = [index for index, loss in enumerate(losses) if math.isfinite(loss)]
        return min(finite, key=losses.__getitem__, default=None)

    def is_over(self, config: TrainingConfig, steps_per_epoch: int) -> bool:
        """Whether all epochs are done, or the last so many brought nothing."""
        done, patience = len(self.epochs), config.early_stopping_patience
        since_best = done - 1 - (-1 if self.best_epoch is None else self.best_epoch)
        waited = since_best * steps_per_epoch >= config.early_stopping_steps
        return done >= config.epochs or (patience > 0 and since_best >= patience and waited)

    def record(self, epoch: dict[str, float], model: tf_keras.Model) -> None:
        """Adds the epoch that just ended. Reading the weights needs all workers to take part."""
        self.epochs.append(epoch)
        self.step = 0
        weights = model.get_weights()
        if self.best_epoch == len(self.epochs) - 1:
            self.best_weights = weights

    def serialize(self) -> bytes:
        file = io.BytesIO()
        numbers = json.dumps({"epochs": self.epochs, "step": self.step}).encode()
        np.savez(file, np.frombuffer(numbers, np.uint8), *self.best_weights)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        with np.load(io.BytesIO(string_value)) as arrays:
            encoded, *self.best_weights = (arrays[name] for name in arrays.files)
        numbers = json.loads(encoded.tobytes())
        self.epochs, self.step = numbers["epochs"], numbers["step"]


class Backup:
    """The checkpoint of one fit, in a directory of its own.

    All workers save, since reading synchronised variables takes all of them, but only the chief
    saves to the directory; the others' copies are thrown away. All restore from the chief's.

    It stays when the fit is over: until the model is published, a kill would cost the training.
    Whoever runs the pipeline removes it.
    """

    def __init__(self, model: tf_keras.Model, directory: str, is_chief: bool) -> None:
        self.state = FitState()
        self._directory = directory
        self._saved = time.monotonic()
        self._elsewhere = tempfile.TemporaryDirectory()
        # The slots have to exist before their values can be restored.
        model.optimizer.build(model.trainable_variables)
        self._checkpoint = tf.train.Checkpoint(
            weights=list(model.weights), optimizer=model.optimizer, state=self.state
        )
        self._own_directory = directory if is_chief else self._elsewhere.name

    @cached_property
    def _manager(self) -> tf.train.CheckpointManager:
        return tf.train.CheckpointManager(self._checkpoint, self._own_directory, max_to_keep=1)

    def restore(self) -> None:
        """Takes up an interrupted fit, if there was one.

        Raises:
          PipelineError: if its backup is damaged, or of a model of another form.
        """
        try:
            _ = self._manager  # Reads what is there, too.
            latest = tf.train.latest_checkpoint(self._directory)
            if not latest:
                return
            self._checkpoint.restore(latest).assert_existing_objects_matched()
        except (AssertionError, LookupError, OSError, ValueError, tf.errors.OpError) as error:
            raise PipelineError(
                f"{self._directory}: the backup of an interrupted training cannot be restored",
                "remove the directory to train from the beginning",
            ) from error

    def save(self) -> None:
        """Every worker does the same work, since creating a variable takes all of them too."""
        path = self._manager.save()
        for name in [*tf.io.gfile.glob(f"{path}*"), os.path.join(os.path.dirname(path), _LATEST)]:
            sync(name)
        self._saved = time.monotonic()

    def age(self) -> float:
        """The seconds since the last backup, or since there is one to be made."""
        return time.monotonic() - self._saved


def backup_key(fingerprint: str, files: Sequence[str]) -> str:
    """A directory name that differs when the settings or the files to train on differ."""
    digest = hashlib.sha256(fingerprint.encode())
    for path in files:
        digest.update(f"\n{path}:{os.path.getsize(path)}".encode())
    return digest.hexdigest()[:16]
