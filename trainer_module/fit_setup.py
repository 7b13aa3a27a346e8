"""Sets up a fit: strategy, data, head, network and optimizer, for the Trainer and for a trial."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras

from trainer_module.devices.strategy import make_strategy
from trainer_module.fit.distributed_data import DistributedData
from trainer_module.fit.training import compile_model, precision
from trainer_module.fit.warm_start import copy_served_weights
from trainer_module.heads import Head, make_head
from trainer_module.input.examples import open_examples
from trainer_module.input.row_weights import fit_row_weights
from trainer_module.models import build_model
from trainer_module.models.piecewise import find_bin_edges
from trainer_module.names import is_for_trees
from trainer_module.sections import Sections


class FitInputs(Protocol):
    """Paths of Transform's output; TFX's FnArgs has these attributes too."""

    @property
    def train_files(self) -> Sequence[str]: ...

    @property
    def eval_files(self) -> Sequence[str]: ...

    @property
    def transform_graph_path(self) -> str: ...

    @property
    def base_model(self) -> str | None: ...


@dataclass(frozen=True)
class FitSetup:
    """A compiled model, its data, and what the export needs."""

    model: tf_keras.Model
    data: DistributedData
    warm_started: Mapping[str, int]
    """Number of weights copied from the served model: see `copy_served_weights`."""
    head: Head
    transform_output: tft.TFTransformOutput
    build_network: Callable[[], tf_keras.Model]
    """Builds an untrained copy of the network outside of any strategy, for the export."""
    make_copy: Callable[[], tf_keras.Model]
    """Builds a compiled, untrained copy of the model outside of any strategy."""


def set_up_fit(
    inputs: FitInputs, sections: Sections, strategy: tf.distribute.Strategy | None = None
) -> FitSetup:
    """Returns the compiled model of the configuration and the splits to fit it to.

    Call this before TensorFlow runs any operation: see `make_strategy`. A second fit of the same
    process passes the `strategy` of the first one.

    Raises:
      ConfigError: the strategy, the devices or `model.family` cannot be used.
      DataError: a split is empty, a split is too small for the workers, or the training split has
        an invalid label.
    """
    strategy = strategy or make_strategy(sections.training)
    tf_keras.utils.set_random_seed(sections.training.seed)
    if sections.training.deterministic:
        tf.config.experimental.enable_op_determinism()
    transform_output = tft.TFTransformOutput(inputs.transform_graph_path)
    outputs = transform_output.transformed_feature_spec()
    spec = {name: feature for name, feature in outputs.items() if not is_for_trees(name)}
    train = open_examples(inputs.train_files, spec)
    evaluation = open_examples(inputs.eval_files, spec)
    weights = fit_row_weights(sections.label, sections.training.class_weights, train, evaluation)
    data = DistributedData(train, evaluation, sections.training, strategy, weights)

    head = make_head(sections.label, train.labels, weights)
    edges = find_bin_edges(sections.encoded_features, sections.model, train)
    build_network = partial(
        build_model, sections.encoded_features, transform_output, head, sections.model, edges
    )
    with strategy.scope(), precision(sections.training.precision):
        network = build_network()
        warm_started = copy_served_weights(
            network, inputs.base_model, sections.encoded_features, transform_output
        )
        model = compile_model(network, head, sections.training, data.batching)

    def make_copy() -> tf_keras.Model:
        with precision(sections.training.precision):
            return compile_model(build_network(), head, sections.training, data.batching)

    return FitSetup(model, data, warm_started, head, transform_output, build_network, make_copy)
