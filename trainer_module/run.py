"""The trainer's entry point. TFX's Trainer calls it; with several workers, each of them does."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import tensorflow as tf

from pipeline.core.events import WarmStarted, emit
from trainer_module.export import export_model
from trainer_module.fit.backup import Backup, backup_key
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.history import write_history
from trainer_module.fit.training import fit
from trainer_module.fit_setup import set_up_fit
from trainer_module.sections import Sections

if TYPE_CHECKING:
    # Workers get these arguments without TFX, whose imports would be half of their start.
    from tfx.components.trainer.fn_args_utils import FnArgs


def run_fn(fn_args: FnArgs) -> None:
    """Trains on Transform's output and writes the served model to `fn_args.serving_model_dir`.

    Raises:
      DataError: if a split is empty, too small for the workers, or holds labels that are none.
      PipelineError: if training diverges.
    """
    sections = Sections(fn_args.custom_config, fn_args.hyperparameters)
    setup = set_up_fit(fn_args, sections)
    model, data = setup.model, setup.data
    directory = _backup_directory(sections, data, fn_args.base_model)
    with model.distribute_strategy.scope():
        backup = Backup(model, directory, data.replicas.is_chief)
    if setup.warm_started and data.replicas.is_chief:
        emit(WarmStarted(**setup.warm_started))
    fit(model, data, backup, sections.training, fn_args.model_run_dir, setup.make_copy)

    # All workers read the weights, since that may take all of them; one writes the model, from a
    # copy that knows of no strategy.
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
            "backup": os.path.basename(directory),
        }
        write_history(fn_args.model_run_dir, backup.state, facts)


def _backup_directory(sections: Sections, data: DistributedData, base_model: str | None) -> str:
    files = [*data.train.files, *data.evaluation.files]
    if base_model is not None:
        files += tf.io.gfile.glob(os.path.join(base_model, "variables", "*"))
    return os.path.join(sections.backup_directory, backup_key(sections.fingerprint(), files))
