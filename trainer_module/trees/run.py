"""Trains and exports trees: what `run_fn` and a trial of the search do for family `trees`."""

from __future__ import annotations

import logging
import math
import os
from typing import TYPE_CHECKING

from pipeline.config import ModelConfig, TrainingConfig
from pipeline.config.rules.tree_settings import list_unread_keys
from pipeline.core.events import SettingsUnread, emit
from pipeline.core.files import write_text_atomically
from pipeline.core.ownership import TRAINING, own_backup
from trainer_module.export import export_model
from trainer_module.fit.backup import backup_key
from trainer_module.fit.history import write_history
from trainer_module.fit.other_backups import mention_other_backups
from trainer_module.fit_setup import FitInputs
from trainer_module.sections import Sections
from trainer_module.trees.setup import set_up_trees

if TYPE_CHECKING:
    from tfx.components.trainer.fn_args_utils import FnArgs


def train_trees(fn_args: FnArgs, sections: Sections) -> None:
    """Trains trees on Transform's output and writes the SavedModel and the history.

    Raises:
      ConfigError: another run trains the same model.
      DataError: a split is empty, or the training split has an invalid label.
      PipelineError: the backup cannot be restored, or no eval loss is finite.
    """
    tell_unread_keys(sections.model, sections.training)
    setup = set_up_trees(fn_args, sections)
    name = backup_key(sections.fingerprint(), [*setup.train.files, *setup.evaluation.files])
    with own_backup(sections.backup_directory, name, TRAINING):
        mention_other_backups(sections.backup_directory, name)
        fitted = setup.fit(sections, os.path.join(sections.backup_directory, name))
        export_model(
            fn_args.serving_model_dir, fitted.model, setup.transform_output, setup.head, sections
        )
        facts = {**fitted.facts, "tuned": sections.tuned, "backup": name}
        write_history(fn_args.model_run_dir, fitted.state, facts)
        write_text(fn_args.model_run_dir, fitted.text)


def tell_unread_keys(model: ModelConfig, training: TrainingConfig) -> None:
    """Names the keys without effect: the terminal shortens a long list, the log has all of it."""
    if unread := list_unread_keys(model, training):
        emit(SettingsUnread(keys=tuple(unread)))
        logging.warning("Trees do not read these keys: %s", ", ".join(unread))


def write_text(directory: str, text: str, name: str = "lightgbm") -> None:
    """Writes trees beside the history as text, for LightGBM's own tools, such as SHAP."""
    write_text_atomically(os.path.join(directory, f"{name}.txt"), text, durable=False)


def train_trial(
    inputs: FitInputs, sections: Sections, epochs: int, directory: str
) -> dict[str, float]:
    """Trains with the values of a trial and returns the measures of the best iteration."""
    short = shorten_training(sections, epochs)
    fitted = set_up_trees(inputs, short).fit(short, os.path.join(directory, "backup"))
    best = fitted.state.epochs[fitted.best_epoch]
    measured = {name: value for name, value in best.items() if name.startswith("eval_")}
    trained = len(fitted.state.epochs)
    return measured | {"epochs": trained, "steps": trained}


def shorten_training(sections: Sections, epochs: int) -> Sections:
    """Returns the sections with the share `epochs / training.epochs` of the iterations.

    So hyperband's first rounds are short.
    """
    iterations = sections.model.trees.iterations
    shorter = math.ceil(iterations * epochs / sections.training.epochs)
    return sections.with_values({"model.trees.iterations": shorter})
