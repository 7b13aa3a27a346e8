"""The trainer's entry point: TFX's Trainer calls `run_fn`, or each of several workers does."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

import tensorflow as tf

from pipeline.config.sections.families.names import BLEND
from pipeline.core.ownership import TRAINING, own_backup
from trainer_module.export import export_model
from trainer_module.fit.backup import backup_key
from trainer_module.fit.history import write_history
from trainer_module.fit.other_backups import mention_other_backups
from trainer_module.fit_setup import FitSetup, set_up_fit
from trainer_module.network_fit import fit_network
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
    # Importing LightGBM takes a second, which a network need not pay.
    if sections.model.is_trees:
        from trainer_module.trees.run import train_trees

        train_trees(fn_args, sections)
        return
    setup = set_up_fit(fn_args, sections)
    name = _backup_name(sections, setup, fn_args.base_model)
    with contextlib.ExitStack() as owned:
        if setup.data.replicas.is_chief:
            owned.enter_context(own_backup(sections.backup_directory, name, TRAINING))
            mention_other_backups(sections.backup_directory, name)
        if sections.model.family == BLEND:
            from trainer_module.blend.run import train_blend

            train_blend(fn_args, sections, setup, name)
        else:
            _train_network(fn_args, sections, setup, name)


def _train_network(fn_args: FnArgs, sections: Sections, setup: FitSetup, name: str) -> None:
    """Fits and exports the network, with the backup `name`."""
    directory = os.path.join(sections.backup_directory, name)
    fitted = fit_network(setup, sections.training, directory, fn_args.model_run_dir)
    if fitted is None:
        return
    export_model(
        fn_args.serving_model_dir, fitted.network, setup.transform_output, setup.head, sections
    )
    facts = {**fitted.facts, "tuned": sections.tuned, "backup": name}
    write_history(fn_args.model_run_dir, fitted.state, facts)


def _backup_name(sections: Sections, setup: FitSetup, base_model: str | None) -> str:
    """Returns the backup's name: another one for other settings, rows or served weights."""
    files = [*setup.data.train.files, *setup.data.evaluation.files]
    if base_model is not None:
        files += tf.io.gfile.glob(os.path.join(base_model, "variables", "*"))
    return backup_key(sections.fingerprint(), files)
