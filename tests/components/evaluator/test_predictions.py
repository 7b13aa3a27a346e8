"""The extractor of predictions, on an exported model, in a real Beam pipeline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apache_beam as beam
import numpy as np
import tensorflow as tf
import tensorflow_model_analysis as tfma
from apache_beam.testing.util import assert_that
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.proto import config_pb2

from components.evaluator.predictions import make_prediction_extractor


def save_multiplier(directory: Path, factor: float) -> str:
    """Saves a model with the outputs `prediction`, x * factor, and `unread`."""
    module = tf.Module()
    spec = tf.TensorSpec([None, 1], tf.float32, "x")
    module.predict = tf.function(
        lambda x: {"prediction": x[:, 0] * factor, "unread": tf.fill([1000], "text")}, [spec]
    )
    tf.saved_model.save(module, str(directory), {"serving_default": module.predict})
    return str(directory)


def test_each_model_predicts_and_only_the_named_output_is_kept(tmp_path: Path) -> None:
    spec = {
        "model_type": constants.TF_GENERIC,
        "signature_name": "serving_default",
        "prediction_key": "prediction",
    }
    eval_config = config_pb2.EvalConfig(
        model_specs=[config_pb2.ModelSpec(name=n, **spec) for n in ("candidate", "baseline")]
    )
    models = [
        tfma.default_eval_shared_model(
            save_multiplier(tmp_path / name, factor), model_name=name, eval_config=eval_config
        )
        for name, factor in (("candidate", 2), ("baseline", 3))
    ]
    batch = {constants.FEATURES_KEY: {"x": np.array([[1.0], [4.0]]), "text": np.array([b"a"] * 2)}}

    def check(batches: list[dict[str, Any]]) -> None:
        [found] = batches
        predictions = found[constants.PREDICTIONS_KEY]
        assert {name: values.tolist() for name, values in predictions.items()} == {
            "candidate": [2, 8],
            "baseline": [3, 12],
        }
        assert set(found) == {constants.FEATURES_KEY, constants.PREDICTIONS_KEY}

    with beam.Pipeline() as pipeline:
        extractor = make_prediction_extractor(eval_config, models, threads=1)
        assert_that(pipeline | beam.Create([batch]) | extractor.ptransform, check)
