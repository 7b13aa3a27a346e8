"""The `run_fn` for TFX's Trainer: this project's network with the input pipeline of TFX's examples.

Batches come from TFX's dataset factory, which reads and parses gzip TFRecords. Keras fits with its
defaults. Network, loss, optimizer and initial weights are those of `trainer_module`, so that the
benchmark compares the ways of training and not the models.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import tensorflow_transform as tft
import tf_keras
from tfx.components.trainer.fn_args_utils import FnArgs
from tfx_bsl.tfxio.dataset_options import TensorFlowDatasetOptions

from benchmarks.stock.export import export_stock_model
from benchmarks.stock.job import EVALUATION_BATCH
from trainer_module.heads import Head, make_head
from trainer_module.models import build_model
from trainer_module.names import LABEL_KEY
from trainer_module.sections import Sections


def run_fn(fn_args: FnArgs) -> None:
    """Trains for `train_steps` and writes the served model."""
    sections = Sections(fn_args.custom_config)
    tf_keras.utils.set_random_seed(sections.training.seed)
    transform_output = tft.TFTransformOutput(fn_args.transform_graph_path)
    counts = json.loads(fn_args.custom_config["label_counts"])
    head = make_head(sections.label, np.repeat(np.arange(len(counts)), counts))
    model = build_model(sections.features, transform_output, head, sections.model)
    compile_as_templates(model, head, sections.training.learning_rate)
    batch_size = sections.training.global_batch_size
    model.fit(
        read_batches(fn_args, fn_args.train_files, transform_output, batch_size),
        steps_per_epoch=fn_args.train_steps,
        validation_data=read_batches(
            fn_args, fn_args.eval_files, transform_output, EVALUATION_BATCH
        ),
        validation_steps=fn_args.eval_steps,
        callbacks=[tf_keras.callbacks.TensorBoard(fn_args.model_run_dir)],
        verbose=2,
    )
    export_stock_model(fn_args.serving_model_dir, model, transform_output, head, sections.label)


def compile_as_templates(network: tf_keras.Model, head: Head, rate: float) -> tf_keras.Model:
    """Compiles and returns the network, for Keras's own training step."""
    optimizer = tf_keras.optimizers.Adam(rate)
    network.compile(optimizer=optimizer, loss=head.loss, metrics=head.metrics())
    return network


def read_batches(
    fn_args: FnArgs, files: list[str], transform_output: tft.TFTransformOutput, batch_size: int
) -> Any:
    """Returns endless shuffled batches, as TFX's dataset factory makes them by default."""
    options = TensorFlowDatasetOptions(batch_size=batch_size, label_key=LABEL_KEY)
    schema = transform_output.transformed_metadata.schema
    return fn_args.data_accessor.tf_dataset_factory(files, options, schema)
