"""The predictions of the models, batch by batch.

TFMA's own step turns every output of a model into NumPy, also the names of the classes, which stand
in each row: of a thousand classes that takes minutes and gigabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import apache_beam as beam
import tensorflow as tf
from apache_beam.utils.shared import Shared
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.extractors import extractor
from tensorflow_model_analysis.proto import config_pb2

STAGE_NAME = "ExtractPredictionsOfOneOutput"


def extract_predictions(
    eval_config: config_pb2.EvalConfig, models: Mapping[str, str]
) -> extractor.Extractor:
    """Adds to each batch, by the model's name in `eval_config`, the output under prediction_key.

    `models` are the directories of the SavedModels, in the order of `eval_config.model_specs`.
    """
    directories = list(models.values())
    specs = [
        (spec.name, directory, spec.signature_name, spec.prediction_key)
        for spec, directory in zip(eval_config.model_specs, directories, strict=True)
    ]
    return extractor.Extractor(stage_name=STAGE_NAME, ptransform=beam.ParDo(_Predict(specs)))


class _Predict(beam.DoFn):
    def __init__(self, specs: list[tuple[str, str, str, str]]) -> None:
        self._specs = specs
        self._shared = Shared()

    def setup(self) -> None:
        self._models = self._shared.acquire(self._load)

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

    def _load(self) -> _Models:
        return _Models({name: tf.saved_model.load(path) for name, path, _, _ in self._specs})


class _Models(dict[str, Any]):
    """A dictionary that can be shared: Beam holds it by a weak reference."""
