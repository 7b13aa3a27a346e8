"""The trainer's entry point: TFX's Trainer calls `run_fn`, or each of several workers does."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import tensorflow as tf

from pipeline.core.events import WarmStarted, emit
from pipeline.core.ownership import TRAINING, own_backup
from trainer_module.export import export_model
from trainer_module.fit.backup import Backup, backup_key
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.history import write_history
from trainer_module.fit.training import fit
from trainer_module.fit_setup import FitSetup, set_up_fit
from trainer_module.sections import Sections

if TYPE_CHECKING:
    # Workers receive these arguments without TFX: its imports would double their start-up time.
    from tfx.components.trainer.fn_args_utils import FnArgs


def run_fn(fn_args: FnArgs) -> None:
    """Trains on Transform's output and writes the SavedModel to `fn_args.serving_model_dir`.

    Raises:
      ConfigError: the strategy, the devices or `model.family` cannot be used, or another run trains
        the same model.
      DataError: a split is empty, a split is too small for the workers, or the training split has
        an invalid label.
      PipelineError: training diverges, or its backup cannot be restored.
    """
    sections = Sections(fn_args.custom_config, fn_args.hyperparameters)
    if sections.model.is_trees:
        # Importing LightGBM takes a second, which a network need not pay.
        from trainer_module.trees.run import train_trees

        train_trees(fn_args, sections)
        return
    setup = set_up_fit(fn_args, sections)
    name = _backup_name(sections, setup.data, fn_args.base_model)
    with contextlib.ExitStack() as owned:
        if setup.data.replicas.is_chief:
            owned.enter_context(own_backup(sections.backup_directory, name, TRAINING))
        _train(fn_args, sections, setup, name)


def _train(fn_args: FnArgs, sections: Sections, setup: FitSetup, name: str) -> None:
    """Fits and exports the model, with the backup `name`."""
    model, data = setup.model, setup.data
    directory = os.path.join(sections.backup_directory, name)
    with model.distribute_strategy.scope():
        backup = Backup(model, directory, data.replicas.is_chief)
    if setup.warm_started and data.replicas.is_chief:
        emit(WarmStarted(**setup.warm_started))
    fit(model, data, backup, sections.training, fn_args.model_run_dir, setup.make_copy)

    # All workers read the weights: reading synchronised variables can be a collective operation.
    # The chief alone writes the model, from a copy outside of the strategy.
    weights = model.get_weights()
    if data.replicas.is_chief:
        served = setup.build_network()
        served.set_weights(weights)
        export_model(
            fn_args.serving_model_dir, served, setup.transform_output, setup.head, sections
        )
        facts = {
            **data.facts(),
            **setup.warm_started,
            "tuned": sections.tuned,
            "backup": name,
        }
        write_history(fn_args.model_run_dir, backup.state, facts)


def _backup_name(sections: Sections, data: DistributedData, base_model: str | None) -> str:
    """Returns the backup's name: another one for other settings, rows or served weights."""
    files = [*data.train.files, *data.evaluation.files]
    if base_model is not None:
        files += tf.io.gfile.glob(os.path.join(base_model, "variables", "*"))
    return backup_key(sections.fingerprint(), files)
