"""The state of a fit and its backup, from which an interrupted fit continues with the same result.

Keras's BackupAndRestore keeps the weights and the epoch, but neither the progress of early stopping
nor the best weights so far. This backup is a single checkpoint of all of it, either complete or
absent. The fit writes it at the ends of epochs, and within long epochs.
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
"""File in which TensorFlow keeps the name of the latest checkpoint."""

Weights = list[npt.NDArray[np.generic]]


class FitState(tf.train.experimental.PythonState):
    """The finished epochs, the steps of the current epoch, and the best weights.

    The best epoch is the one with the lowest eval loss.
    """

    def __init__(self) -> None:
        self.epochs: list[dict[str, float]] = []
        self.step = 0
        """Steps done in the current epoch."""
        self.best_weights: Weights = []
        self.is_out_of_time = False
        """Whether the fit ended because `training.seconds` were over."""
        self._seconds_before, self._start = 0.0, time.monotonic()

    @property
    def seconds(self) -> float:
        """Wall time of the fit so far, with that of interrupted processes up to their backups."""
        return self._seconds_before + time.monotonic() - self._start

    @property
    def best_epoch(self) -> int | None:
        """Index of the best epoch, from 0; None until an epoch ends with a finite eval loss."""
        losses = [epoch["eval_loss"] for epoch in self.epochs]
        finite = [index for index, loss in enumerate(losses) if math.isfinite(loss)]
        return min(finite, key=losses.__getitem__, default=None)

    def is_over(self, config: TrainingConfig, steps_per_epoch: int) -> bool:
        """Whether all epochs are done, or early stopping or the time limit ends the fit.

        Early stopping needs `early_stopping_patience` epochs and `early_stopping_steps` steps since
        the best epoch.
        """
        done, patience = len(self.epochs), config.early_stopping_patience
        since_best = done - 1 - (-1 if self.best_epoch is None else self.best_epoch)
        waited = since_best * steps_per_epoch >= config.early_stopping_steps
        has_stopped = patience > 0 and since_best >= patience and waited
        # A backup within the last epoch holds no measures of it: the epoch has to be ended.
        is_out_of_time = self.is_out_of_time and not self.step
        return is_out_of_time or done >= config.epochs or has_stopped

    def record(self, epoch: dict[str, float], model: tf_keras.Model) -> None:
        """Adds the metrics of the finished epoch, and keeps its weights if they are the best.

        All workers have to call this: reading the weights can be a collective operation.
        """
        self.epochs.append(epoch)
        self.step = 0
        weights = model.get_weights()
        if self.best_epoch == len(self.epochs) - 1:
            self.best_weights = weights

    def serialize(self) -> bytes:
        file = io.BytesIO()
        numbers = {
            "epochs": self.epochs,
            "step": self.step,
            "is_out_of_time": self.is_out_of_time,
            "seconds": self.seconds,
        }
        encoded = json.dumps(numbers).encode()
        np.savez(file, np.frombuffer(encoded, np.uint8), *self.best_weights)
        return file.getvalue()

    def deserialize(self, string_value: bytes) -> None:
        with np.load(io.BytesIO(string_value)) as arrays:
            encoded, *self.best_weights = (arrays[name] for name in arrays.files)
        numbers = json.loads(encoded.tobytes())
        self.epochs, self.step = numbers["epochs"], numbers["step"]
        # Backups of earlier versions lack the time.
        self.is_out_of_time = numbers.get("is_out_of_time", False)
        self._seconds_before, self._start = numbers.get("seconds", 0.0), time.monotonic()


class Backup:
    """The checkpoint of one fit, in its own directory.

    All workers save, since reading synchronised variables is a collective operation. Only the chief
    saves to the directory; the other workers save to a temporary directory. All workers restore the
    chief's checkpoint.

    The backup stays after the fit: if a process were killed before the model is published, the
    training would be lost. The pipeline's runner removes the backup.
    """

    def __init__(self, model: tf_keras.Model, directory: str, is_chief: bool) -> None:
        self.state = FitState()
        self._directory = directory
        self._saved = time.monotonic()
        self._scratch = tempfile.TemporaryDirectory()
        # The optimizer's slot variables have to exist before their values can be restored.
        model.optimizer.build(model.trainable_variables)
        self._checkpoint = tf.train.Checkpoint(
            weights=list(model.weights), optimizer=model.optimizer, state=self.state
        )
        self._own_directory = directory if is_chief else self._scratch.name

    @cached_property
    def _manager(self) -> tf.train.CheckpointManager:
        return tf.train.CheckpointManager(self._checkpoint, self._own_directory, max_to_keep=1)

    def restore(self) -> None:
        """Restores weights, optimizer and state from the directory, if it holds a backup.

        Raises:
          PipelineError: the backup is damaged, or that of a model with other weights.
        """
        try:
            _ = self._manager  # Reads the list of checkpoints, which may be damaged.
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
        """Writes the checkpoint and syncs it to disk.

        All workers have to call this: creating and reading variables are collective operations.
        """
        path = self._manager.save()
        for name in [*tf.io.gfile.glob(f"{path}*"), os.path.join(os.path.dirname(path), _LATEST)]:
            sync(name)
        self._saved = time.monotonic()

    def age(self) -> float:
        """Returns the seconds since the last backup, or since this object was made."""
        return time.monotonic() - self._saved


def backup_key(fingerprint: str, files: Sequence[str]) -> str:
    """Returns a directory name: another one for other settings or other files to train on.

    Files are compared by path and size.
    """
    digest = hashlib.sha256(fingerprint.encode())
    for path in files:
        digest.update(f"\n{path}:{os.path.getsize(path)}".encode())
    return digest.hexdigest()[:16]
