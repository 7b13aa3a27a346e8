"""Sets up a training of trees and trains them: for a model, or a part of a blend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow_transform as tft

from pipeline.config import LabelConfig
from trainer_module.fit_setup import FitInputs
from trainer_module.heads import Head, make_head
from trainer_module.input.examples import Examples, open_examples
from trainer_module.input.row_weights import fit_row_weights
from trainer_module.names import LABEL_KEY, WEIGHT_KEY, has_ngrams
from trainer_module.sections import Sections
from trainer_module.trees.boosting import Boosting
from trainer_module.trees.importance import measure_importance
from trainer_module.trees.inputs import TreeInputs, output_names
from trainer_module.trees.library import lightgbm
from trainer_module.trees.model import TreesModel
from trainer_module.trees.ngram_choice import Targets, choose_ngrams
from trainer_module.trees.progress import UNIT
from trainer_module.trees.scoring.forest import parse_forest
from trainer_module.trees.scoring.model_text import join_texts
from trainer_module.trees.settings import make_parameters
from trainer_module.trees.state import TreesBackup, TreesState
from trainer_module.trees.table import read_table
from trainer_module.trees.tree_fit import Limits, fit_trees


@dataclass(frozen=True)
class FittedTrees:
    """Trained trees, and how they were trained."""

    model: TreesModel
    state: TreesState
    text: str
    """LightGBM's text of the trees up to the best iteration."""
    facts: Mapping[str, Any]
    """What the history says about the training, beside its iterations."""

    @property
    def best_epoch(self) -> int:
        """Index of the last iteration that is kept."""
        assert self.state.best_epoch is not None, "a fit without one raises"
        return self.state.best_epoch


@dataclass(frozen=True)
class TreesSetup:
    """Both splits, and what the trees see of them."""

    train: Examples
    evaluation: Examples
    inputs: TreeInputs
    head: Head
    transform_output: tft.TFTransformOutput

    def fit(self, sections: Sections, backup_directory: str, steps_before: int = 0) -> FittedTrees:
        """Trains from the backup on.

        `steps_before` are those of other fits of the same training, for the supervisor.

        Raises:
          DataError: a row's weight is missing, negative or infinite, or all weights of a split
            are 0.
          PipelineError: the backup cannot be restored, or no eval loss is finite.
        """
        boosting = _make_boosting(self, sections)
        limits = Limits(
            sections.model.trees,
            sections.training.seconds,
            steps_before,
            _find_least_loss(sections, self.evaluation.row_count),
        )
        state = fit_trees(boosting, TreesBackup(backup_directory), limits, self.head)
        assert state.best_epoch is not None, "a fit without one raises"
        text = join_texts(state.stages, state.best_epoch + 1)
        facts = {
            "unit": UNIT,
            "train_examples": self.train.row_count,
            "eval_examples": self.evaluation.row_count,
            **measure_importance(lightgbm.Booster(model_str=text), self.inputs.columns),
        }
        if state.is_out_of_time:
            facts["time_limit"] = limits.seconds
        model = TreesModel(self.inputs, parse_forest(text), self.head)
        return FittedTrees(model, state, text, facts)


def _find_least_loss(sections: Sections, rows: int) -> float:
    """Returns the eval loss of classes that `rows` rows without an error support.

    By Laplace's rule of succession, the next row is then wrong with the probability 1 / (rows + 2).
    Trees of separable classes would go on to claim less, for thousands of iterations.
    """
    return 0.0 if sections.label.task == "regression" else 1 / (rows + 2)


def set_up_trees(inputs: FitInputs, sections: Sections) -> TreesSetup:
    """Opens both splits for trees.

    Raises:
      DataError: a split is empty, or the training split has an invalid label.
    """
    transform_output = tft.TFTransformOutput(inputs.transform_graph_path)
    outputs = transform_output.transformed_feature_spec()
    names = (*output_names(sections.encoded_features), LABEL_KEY, WEIGHT_KEY)
    spec = {name: feature for name, feature in outputs.items() if name in names}
    train = open_examples(inputs.train_files, spec)
    head = make_head(sections.label, train.labels)
    settings = sections.model.trees
    ngrams = {}
    if any(map(has_ngrams, sections.encoded_features.values())):
        targets = _make_targets(sections.label, head, train)
        ngrams = choose_ngrams(
            sections.encoded_features, train, targets, settings.text_tokens, settings.min_leaf_rows
        )
    columns = TreeInputs(sections.encoded_features, transform_output, settings.text_tokens, ngrams)
    evaluation = open_examples(inputs.eval_files, spec)
    return TreesSetup(train, evaluation, columns, head, transform_output)


def _make_targets(label: LabelConfig, head: Head, train: Examples) -> Targets:
    targets = head.targets(train.labels)
    if label.task == "multiclass":
        return np.eye(len(label.classes), dtype=np.float32)[targets]
    return targets.astype(np.float32)[:, np.newaxis]


def _make_boosting(setup: TreesSetup, sections: Sections) -> Boosting:
    """Returns both splits in LightGBM's form."""
    training, label = sections.training, sections.label
    weights = fit_row_weights(label, training.class_weights, setup.train, setup.evaluation)
    train, evaluation = (
        read_table(examples, setup.inputs, setup.head, weights)
        for examples in (setup.train, setup.evaluation)
    )
    categorical = [i for i, c in enumerate(setup.inputs.columns) if c.is_categorical]
    parameters = make_parameters(label, sections.model.trees, training, len(train.rows))
    return Boosting(train, evaluation, categorical, parameters, training.seed)
