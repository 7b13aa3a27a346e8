"""Fits the model: early stopping with the best weights, progress, backups."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial

import tf_keras

from pipeline.config import TrainingConfig
from pipeline.core.events import (
    BatchesPlanned,
    TrainingEnded,
    TrainingResumed,
    WarmupTooLong,
    emit,
)
from trainer_module.fit.backup import Backup, FitState
from trainer_module.fit.callbacks.backup_schedule import BackupWithinEpoch, EpochEnd
from trainer_module.fit.callbacks.divergence import StopIfDiverged, divergence_error
from trainer_module.fit.callbacks.fit_position import FitPosition
from trainer_module.fit.callbacks.profile import Profile
from trainer_module.fit.callbacks.progress import ProgressEvents, worker_steps_callbacks
from trainer_module.fit.callbacks.steps_per_execution import FIRST_STEPS, StepsPerExecution
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.loop import EpochPlan, choose_loop
from trainer_module.fit.optimizer import make_optimizer
from trainer_module.fit.parameter_server import coordinated_fit
from trainer_module.fit.train_step import TrainingModel
from trainer_module.heads import Head
from trainer_module.input.batching import Batching
from trainer_module.input.dataset import Start


def compile_model(
    network: tf_keras.Model, head: Head, config: TrainingConfig, batching: Batching
) -> tf_keras.Model:
    """The network with optimizer, loss and metrics; to be called in the strategy's scope."""
    _leave_keras_unconverted()
    size = config.micro_batch_size
    pieces = size if size is not None and size < batching.batch_size else None
    model = TrainingModel(network, head, pieces, config.seed, config.jit_compile)
    model.compile(
        optimizer=make_optimizer(
            config, batching.global_batch_size, config.epochs * batching.steps
        ),
        loss=head.loss,
        metrics=head.metrics(),
        steps_per_execution=min(config.steps_per_execution or FIRST_STEPS, batching.steps),
    )
    # Keras would add up over the workers what is the same on all of them.
    model.distribute_reduction_method = "first"
    return model


def fit(
    model: tf_keras.Model,
    data: DistributedData,
    backup: Backup,
    config: TrainingConfig,
    directory: str,
    copy: Callable[[], tf_keras.Model],
) -> None:
    """Trains from where the backup stands, and leaves the model with the best weights.

    TensorBoard's files go to `directory`; `copy` makes such a model that knows of no strategy.

    Raises:
      PipelineError: if the loss becomes NaN or infinite.
    """
    backup.restore()
    state, steps = backup.state, data.batching.steps
    if (state.epochs or state.step) and data.replicas.is_chief:
        emit(TrainingResumed(epoch=len(state.epochs), step=state.step))
    if data.replicas.is_chief:
        emit(
            BatchesPlanned(
                **data.facts(),
                asked=config.global_batch_size,
                micro_batch_size=config.micro_batch_size,
            )
        )
        planned, warmup = config.epochs * steps, config.schedule.warmup_steps
        if warmup >= planned:
            emit(WarmupTooLong(warmup_steps=warmup, steps=planned))
    run_loop = choose_loop(config.loop, model.distribute_strategy)
    if data.is_coordinated:
        run_loop = partial(coordinated_fit, copy())
    # An epoch that was interrupted is brought to its end by itself: it is a shorter one.
    while not state.is_over(config, steps):
        start = Start(len(state.epochs), state.step)
        plan = EpochPlan(
            first_epoch=start.epoch,
            epochs=start.epoch + 1 if start.step else config.epochs,
            steps=steps - start.step,
            evaluation_steps=data.evaluation_batching.steps,
        )
        model.first_bad_step.start(start.epoch * steps + start.step)
        run_loop(
            model,
            data.training_batches(start),
            data.evaluation_batches(),
            plan,
            _callbacks(data, backup, config, start, directory),
        )
    if not state.best_weights:
        what = "the evaluation loss is not a number in any epoch"
        raise divergence_error(what, config.learning_rate)
    model.set_weights(state.best_weights)
    if data.replicas.is_chief:
        _tell_end(state, config.epochs)


def _tell_end(state: FitState, epochs: int) -> None:
    assert state.best_epoch is not None, "there are best weights"
    best = state.epochs[state.best_epoch]
    emit(
        TrainingEnded(
            epochs=epochs,
            last_epoch=len(state.epochs),
            best_epoch=state.best_epoch + 1,
            best_loss=best["loss"],
            best_eval_loss=best["eval_loss"],
        )
    )


def _callbacks(
    data: DistributedData, backup: Backup, config: TrainingConfig, start: Start, directory: str
) -> list[tf_keras.callbacks.Callback]:
    """What takes part in the fit from `start` on, in the order in which it is called.

    Of steps that were handed out and are still being made, there is neither a backup nor a time.
    """
    steps, position = data.batching.steps, FitPosition(start.epoch, start.step)
    callbacks = [
        position,
        StopIfDiverged(position, data, config.learning_rate),
        EpochEnd(backup, config, steps),
    ]
    if config.recovery.backup_seconds and not data.is_coordinated:
        seconds = config.recovery.backup_seconds
        callbacks.append(BackupWithinEpoch(backup, position, seconds, steps))
    if config.steps_per_execution is None and not data.is_coordinated:
        callbacks.append(StepsPerExecution(position))
    callbacks += worker_steps_callbacks()
    # Progress events and TensorBoard's files come from one process.
    if data.replicas.is_chief:
        callbacks += [
            ProgressEvents(position, config.epochs, steps, data.batching.global_batch_size),
            tf_keras.callbacks.TensorBoard(
                directory,
                write_graph=False,
                histogram_freq=int(config.tensorboard.histograms),
                profile_batch=0,
            ),
        ]
        if profiled := config.tensorboard.profile_steps:
            callbacks.append(Profile(position, profiled, steps, directory))
    return callbacks


@contextlib.contextmanager
def precision(policy: str) -> Iterator[None]:
    """Layers made within compute in this type; those of the exported copy do not."""
    previous = tf_keras.mixed_precision.global_policy()
    tf_keras.mixed_precision.set_global_policy(policy)
    try:
        yield
    finally:
        tf_keras.mixed_precision.set_global_policy(previous)


def _leave_keras_unconverted() -> None:
    """Keeps autograph from rewriting Keras itself, which costs ten seconds on TensorFlow 2.16.

    The function that Keras hands to TensorFlow is converted all the same, and nothing it calls
    needs to be. Newer versions do so by themselves.
    """
    try:
        from tensorflow.python.autograph.core import config as autograph
    except ImportError:
        # Not part of TensorFlow's public interface: without it, fitting only starts later.
        return
    rule = autograph.DoNotConvert("tf_keras")
    if str(rule) not in map(str, autograph.CONVERSION_RULES):
        autograph.CONVERSION_RULES = (rule, *autograph.CONVERSION_RULES)
