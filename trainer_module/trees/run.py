"""Trains and exports trees: what `run_fn` and a trial of the search do for family `trees`."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import tensorflow_transform as tft

from pipeline.config.rules.tree_settings import list_unread_keys
from pipeline.core.events import SettingsUnread, emit
from pipeline.core.files import write_text_atomically
from pipeline.core.ownership import TRAINING, own_backup
from trainer_module.export import export_model
from trainer_module.fit.backup import backup_key
from trainer_module.fit.history import write_history
from trainer_module.fit_setup import FitInputs
from trainer_module.heads import Head, make_head
from trainer_module.input.examples import Examples, open_examples
from trainer_module.input.row_weights import fit_row_weights
from trainer_module.sections import Sections
from trainer_module.trees.boosting import Boosting
from trainer_module.trees.importance import measure_importance
from trainer_module.trees.inputs import TreeInputs
from trainer_module.trees.library import lightgbm
from trainer_module.trees.model import TreesModel
from trainer_module.trees.progress import UNIT
from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.scoring.model_text import join_texts
from trainer_module.trees.settings import make_parameters
from trainer_module.trees.state import TreesBackup
from trainer_module.trees.table import read_table
from trainer_module.trees.tree_fit import fit_trees

if TYPE_CHECKING:
    from tfx.components.trainer.fn_args_utils import FnArgs

_TEXT_FILE = "lightgbm.txt"
"""The trees as LightGBM's text, beside the history: for LightGBM's own tools, such as SHAP."""


def train_trees(fn_args: FnArgs, sections: Sections) -> None:
    """Trains trees on Transform's output and writes the SavedModel and the history.

    Raises:
      ConfigError: another run trains the same model.
      DataError: a split is empty, or the training split has an invalid label.
      PipelineError: the backup cannot be restored, or no eval loss is finite.
    """
    if unread := list_unread_keys(sections.model, sections.training):
        emit(SettingsUnread(keys=tuple(unread)))
    setup = _set_up(fn_args, sections)
    name = backup_key(sections.fingerprint(), [*setup.train.files, *setup.evaluation.files])
    with own_backup(sections.backup_directory, name, TRAINING):
        backup = TreesBackup(os.path.join(sections.backup_directory, name))
        settings = sections.model.trees
        state = fit_trees(_make_boosting(setup, sections), backup, settings, setup.head)
        assert state.best_epoch is not None, "a fit without one raises"
        text = join_texts(state.stages, state.best_epoch + 1)
        model = TreesModel(setup.inputs, parse_forest(text), setup.head)
        export_model(fn_args.serving_model_dir, model, setup.transform_output, setup.head, sections)
        facts = {
            "unit": UNIT,
            "train_examples": setup.train.row_count,
            "eval_examples": setup.evaluation.row_count,
            **measure_importance(lightgbm.Booster(model_str=text), setup.inputs.columns),
            "tuned": sections.tuned,
            "backup": name,
        }
        write_history(fn_args.model_run_dir, state, facts)
        path = os.path.join(fn_args.model_run_dir, _TEXT_FILE)
        write_text_atomically(path, text, durable=False)


def train_trial(
    inputs: FitInputs, sections: Sections, epochs: int, directory: str
) -> dict[str, float]:
    """Trains with the values of a trial and returns the measures of the best iteration.

    The trial has the share `epochs / training.epochs` of `model.trees.iterations`, so that
    hyperband's first rounds are short.
    """
    settings = sections.model.trees
    iterations = math.ceil(settings.iterations * epochs / sections.training.epochs)
    settings = settings.model_copy(update={"iterations": iterations})
    setup = _set_up(inputs, sections)
    backup = TreesBackup(os.path.join(directory, "backup"))
    state = fit_trees(_make_boosting(setup, sections), backup, settings, setup.head)
    assert state.best_epoch is not None, "a fit without one raises"
    best = state.epochs[state.best_epoch]
    measured = {name: value for name, value in best.items() if name.startswith("eval_")}
    return measured | {"epochs": len(state.epochs), "steps": len(state.epochs)}


@dataclass(frozen=True)
class _Setup:
    train: Examples
    evaluation: Examples
    inputs: TreeInputs
    head: Head
    transform_output: tft.TFTransformOutput


def _set_up(inputs: FitInputs, sections: Sections) -> _Setup:
    transform_output = tft.TFTransformOutput(inputs.transform_graph_path)
    spec = transform_output.transformed_feature_spec()
    train = open_examples(inputs.train_files, spec)
    return _Setup(
        train,
        open_examples(inputs.eval_files, spec),
        TreeInputs(sections.features, transform_output, sections.model.trees.text_tokens),
        make_head(sections.label, train.labels),
        transform_output,
    )


def _make_boosting(setup: _Setup, sections: Sections) -> Boosting:
    """Returns both splits in LightGBM's form.

    Raises:
      DataError: a row's weight is missing, negative or infinite, or all weights of a split are 0.
    """
    training, label = sections.training, sections.label
    weights = fit_row_weights(label, training.class_weights, setup.train, setup.evaluation)
    train, evaluation = (
        read_table(examples, setup.inputs, setup.head, weights)
        for examples in (setup.train, setup.evaluation)
    )
    categorical = [i for i, c in enumerate(setup.inputs.columns) if c.is_categorical]
    parameters = make_parameters(label, sections.model.trees, training, len(train.rows))
    return Boosting(train, evaluation, categorical, parameters, training.seed)
