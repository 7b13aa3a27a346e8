"""Predicts with each model, batch by batch, and keeps only the output that the metrics read.

TFMA's own extractor converts every output of a model to NumPy, the names of all classes in each row
included. With a thousand classes that takes minutes and gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
import tensorflow as tf
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.api.types import EvalSharedModel, ModelLoader
from tensorflow_model_analysis.extractors import extractor
from tensorflow_model_analysis.proto import config_pb2

from components.worker_threads import limit_tensorflow

STAGE_NAME = "ExtractPredictionsOfOneOutput"


def make_prediction_extractor(
    eval_config: config_pb2.EvalConfig, models: Sequence[EvalSharedModel], threads: int
) -> extractor.Extractor:
    """Returns the extractor that adds the output `prediction_key` of each model to each batch.

    Args:
      eval_config: names the models, and of each model the signature and the output.
      models: the models, in the order of `eval_config.model_specs`. A process loads a model once
        for all extractors.
      threads: the threads of TensorFlow in a worker process.
    """
    specs = [
        (spec.name, model.model_loader, spec.signature_name, spec.prediction_key)
        for spec, model in zip(eval_config.model_specs, models, strict=True)
    ]
    predict = beam.ParDo(_Predict(specs, threads))
    return extractor.Extractor(stage_name=STAGE_NAME, ptransform=predict)


class _Predict(beam.DoFn):
    def __init__(self, specs: list[tuple[str, ModelLoader, str, str]], threads: int) -> None:
        self._specs = specs
        self._threads = threads

    def setup(self) -> None:
        limit_tensorflow(self._threads)
        self._models = {name: loader.load() for name, loader, _, _ in self._specs}

    def process(self, batch: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        features = batch[constants.FEATURES_KEY]
        predictions = {}
        for name, _, signature_name, key in self._specs:
            signature = self._models[name].signatures[signature_name]
            types = signature.structured_input_signature[1]
            inputs = {
                column: tf.constant(features[column], types[column].dtype) for column in types
            }
            predictions[name] = signature(**inputs)[key].numpy()
        yield {**batch, constants.PREDICTIONS_KEY: predictions}
