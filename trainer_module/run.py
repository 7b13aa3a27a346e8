"""The trainer's entry point. TFX's Trainer calls it; with several workers, each of them does."""

from __future__ import annotations

import os
from functools import partial

import tensorflow as tf
import tensorflow_transform as tft
import tf_keras
from tfx.components.trainer.fn_args_utils import FnArgs

from trainer_module.backup import Backup, backup_key
from trainer_module.examples import open_examples
from trainer_module.export import export_model
from trainer_module.features import Sections
from trainer_module.feeds import Feeds
from trainer_module.heads import make_head
from trainer_module.history import write_history
from trainer_module.models import build_model
from trainer_module.models.piecewise import edges_of_numbers
from trainer_module.row_weights import row_weights
from trainer_module.strategy import make_strategy
from trainer_module.training import compile_model, fit, precision
from trainer_module.warm_start import start_from


def run_fn(fn_args: FnArgs) -> None:
    """Trains on Transform's output and writes the served model to `fn_args.serving_model_dir`.

    Raises:
      DataError: if a split is empty, too small for the workers, or holds labels that are none.
      PipelineError: if training diverges.
    """
    sections = Sections(fn_args.custom_config)
    strategy = make_strategy(sections.training)
    tf_keras.utils.set_random_seed(sections.training.seed)
    transform_output = tft.TFTransformOutput(fn_args.transform_graph_path)
    spec = transform_output.transformed_feature_spec()
    train = open_examples(fn_args.train_files, sections.examples_format, spec)
    evaluation = open_examples(fn_args.eval_files, sections.examples_format, spec)
    weights = row_weights(sections.label, sections.training.class_weights, train)
    feeds = Feeds(train, evaluation, sections.training, strategy, weights)

    head = make_head(sections.label, train.labels, weights)
    edges = edges_of_numbers(sections.features, sections.model, train)
    build = partial(build_model, sections.features, transform_output, head, sections.model, edges)
    with strategy.scope(), precision(sections.training.precision):
        network = build()
        started = start_from(network, fn_args.base_model, sections.features, transform_output)
        model = compile_model(network, head, sections.training, feeds.batching)
        directory = _backup_directory(sections, feeds, fn_args.base_model)
        backup = Backup(model, directory, feeds.replicas.is_chief)

    def copy() -> tf_keras.Model:
        with precision(sections.training.precision):
            return compile_model(build(), head, sections.training, feeds.batching)

    fit(model, feeds, backup, sections.training, fn_args.model_run_dir, copy)

    # All workers read the weights, since that may take all of them; one writes the model, from a
    # copy that knows of no strategy.
    weights = model.get_weights()
    if feeds.replicas.is_chief:
        served = build()
        served.set_weights(weights)
        export_model(fn_args.serving_model_dir, served, transform_output, head, sections)
        facts = {**feeds.facts(), **started, "backup": os.path.basename(directory)}
        write_history(fn_args.model_run_dir, backup.state, facts)


def _backup_directory(sections: Sections, feeds: Feeds, base_model: str | None) -> str:
    files = [*feeds.train.files, *feeds.evaluation.files]
    if base_model is not None:
        files += tf.io.gfile.glob(os.path.join(base_model, "variables", "*"))
    return os.path.join(sections.backup_directory, backup_key(sections.fingerprint(), files))
