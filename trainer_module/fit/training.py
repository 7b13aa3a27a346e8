"""Compiles and fits the model, with early stopping, backups and progress events."""

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
from trainer_module.fit.callbacks.time_limit import TimeLimit
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.loop import EpochPlan, choose_loop
from trainer_module.fit.optimizer import make_optimizer
from trainer_module.fit.parameter_server import coordinated_fit
from trainer_module.fit.train_step import TrainingModel
from trainer_module.heads import Head
from trainer_module.input.batching import Batching
from trainer_module.input.dataset import Start


def compile_model(
    network: tf_keras.Model,
    head: Head,
    config: TrainingConfig,
    batching: Batching,
    make: Callable[..., TrainingModel] = TrainingModel,
) -> tf_keras.Model:
    """Returns the network with optimizer, loss and metrics. Call this in the strategy's scope.

    `make` takes the arguments of `TrainingModel` by their positions.
    """
    _leave_keras_unconverted()
    size = config.micro_batch_size
    pieces = size if size is not None and size < batching.batch_size else None
    model = make(network, head, pieces, config.seed, config.jit_compile)
    model.compile(
        optimizer=make_optimizer(
            config, batching.global_batch_size, config.epochs * batching.steps
        ),
        loss=head.loss,
        metrics=head.metrics(),
        steps_per_execution=min(config.steps_per_execution or FIRST_STEPS, batching.steps),
    )
    # The metrics are the same on all workers: Keras would otherwise add them up.
    model.distribute_reduction_method = "first"
    return model


def fit(
    model: tf_keras.Model,
    data: DistributedData,
    backup: Backup,
    config: TrainingConfig,
    directory: str,
    make_copy: Callable[[], tf_keras.Model],
    steps_before: int = 0,
) -> None:
    """Trains from the backup on, and leaves the model with the best weights.

    Writes TensorBoard's files to `directory`. `make_copy` returns a copy of the model outside of
    any strategy, with which a coordinator evaluates. `steps_before` are those of other fits of the
    same training, for the supervisor.

    Raises:
      ConfigError: a worker of a parameter server training cannot hold the training split.
      PipelineError: the loss becomes NaN or infinite, or the backup cannot be restored.
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
        run_loop = partial(coordinated_fit, make_copy())
    # An interrupted epoch is finished by a run of the loop on its own, since it has fewer steps.
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
            _make_callbacks(data, backup, config, start, directory, steps_before),
        )
    if not state.best_weights:
        reason = "the evaluation loss is NaN or infinite in every epoch"
        raise divergence_error(reason, config.learning_rate)
    model.set_weights(state.best_weights)
    if data.replicas.is_chief:
        _tell_end(state, config)


def _tell_end(state: FitState, config: TrainingConfig) -> None:
    assert state.best_epoch is not None, "there are best weights"
    best = state.epochs[state.best_epoch]
    emit(
        TrainingEnded(
            epochs=config.epochs,
            last_epoch=len(state.epochs),
            best_epoch=state.best_epoch + 1,
            best_loss=best["loss"],
            best_eval_loss=best["eval_loss"],
            time_limit=config.seconds if state.is_out_of_time else None,
        )
    )


def _make_callbacks(
    data: DistributedData,
    backup: Backup,
    config: TrainingConfig,
    start: Start,
    directory: str,
    steps_before: int,
) -> list[tf_keras.callbacks.Callback]:
    """Returns the callbacks of the fit from `start` on, in the order of their calls.

    A coordinator neither backs up within an epoch nor measures steps: the scheduled steps are still
    running on its workers.
    """
    steps, position = data.batching.steps, FitPosition(start.epoch, start.step)
    callbacks = [
        position,
        StopIfDiverged(position, data, config.learning_rate),
    ]
    if config.seconds is not None:
        callbacks.append(TimeLimit(backup.state, config.seconds, not data.is_coordinated))
    callbacks.append(EpochEnd(backup, config, steps))
    if config.recovery.backup_seconds and not data.is_coordinated:
        seconds = config.recovery.backup_seconds
        callbacks.append(BackupWithinEpoch(backup, position, seconds, steps))
    if config.steps_per_execution is None and not data.is_coordinated:
        callbacks.append(StepsPerExecution(position))
    callbacks += worker_steps_callbacks(steps_before)
    # Only the chief emits progress events and writes TensorBoard's files.
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
    """Sets Keras's precision policy for layers made in this context.

    The exported copy of the network is made outside of it, and computes in float32.
    """
    previous = tf_keras.mixed_precision.global_policy()
    tf_keras.mixed_precision.set_global_policy(policy)
    try:
        yield
    finally:
        tf_keras.mixed_precision.set_global_policy(previous)


def _leave_keras_unconverted() -> None:
    """Keeps autograph from converting Keras's own code, which costs ten seconds on TensorFlow 2.16.

    Autograph still converts the function that Keras passes to TensorFlow; the functions it calls
    need no conversion. Newer versions of TensorFlow skip Keras by themselves.
    """
    try:
        from tensorflow.python.autograph.core import config as autograph
    except ImportError:
        # This module is not part of TensorFlow's public API. Without it, the fit starts later.
        return
    rule = autograph.DoNotConvert("tf_keras")
    if str(rule) not in map(str, autograph.CONVERSION_RULES):
        autograph.CONVERSION_RULES = (rule, *autograph.CONVERSION_RULES)
