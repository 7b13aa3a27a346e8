"""TFX's Evaluator feeds the raw columns to the exported model by name and decodes its outputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tensorflow_model_analysis as tfma
from google.protobuf import json_format
from tensorflow_model_analysis.proto import config_pb2
from tfx.components.evaluator import executor as evaluator_executor
from tfx.dsl.components.base import base_beam_executor
from tfx.types import standard_artifacts
from tiny_models import Trained
from tiny_run import BEAM_ARGS, examples_artifact

from trainer_module.features import LABEL_KEY

pytestmark = pytest.mark.slow


def evaluate(trained: Trained, prediction_key: str, metric: str, out: Path) -> dict[Any, Any]:
    """The metric by slice, () and the values of `a%b`, as TFX's Evaluator computes it."""
    config = config_pb2.EvalConfig(
        model_specs=[
            config_pb2.ModelSpec(
                signature_name="serving_default",
                label_key=LABEL_KEY,
                prediction_key=prediction_key,
                preprocessing_function_names=["transform_label"],
            )
        ],
        slicing_specs=[
            config_pb2.SlicingSpec(),
            config_pb2.SlicingSpec(feature_keys=["a%b"]),
        ],
        metrics_specs=[
            config_pb2.MetricsSpec(
                metrics=[
                    config_pb2.MetricConfig(class_name="ExampleCount"),
                    config_pb2.MetricConfig(class_name=metric, config='{"name": "metric"}'),
                ]
            )
        ],
    )
    root = Path(trained.fn_args.schema_path).parents[1]
    model, schema = standard_artifacts.Model(), standard_artifacts.Schema()
    evaluation = standard_artifacts.ModelEvaluation()
    model.uri, schema.uri = str(root / "model"), str(root / "schema")
    evaluation.uri = str(out)
    parquet = trained.fn_args.custom_config["examples_format"] == "parquet"
    examples = examples_artifact(root / "examples", ["train", "eval"], parquet)
    context = base_beam_executor.BaseBeamExecutor.Context(
        beam_pipeline_args=BEAM_ARGS, tmp_dir=str(out / "tmp"), unique_id="1"
    )
    evaluator_executor.Executor(context).Do(
        {"examples": [examples], "model": [model], "schema": [schema]},
        {"evaluation": [evaluation]},
        {
            "eval_config": json_format.MessageToJson(config, preserving_proto_field_name=True),
            "example_splits": json.dumps(["eval"]),
            "fairness_indicator_thresholds": "null",
        },
    )
    result = tfma.load_eval_result(str(out))
    return {
        key: {name: value["doubleValue"] for name, value in metrics[""][""].items()}
        for key, metrics in result.slicing_metrics
    }


@pytest.mark.parametrize(
    ("task", "prediction_key", "metric", "lowest", "highest"),
    [
        ("binary", "probability", "AUC", 0.8, 1.0),
        ("multiclass", "probabilities", "SparseCategoricalAccuracy", 0.4, 1.0),
        ("regression", "prediction", "Calibration", 0.9, 1.1),
    ],
)
def test_evaluator_accepts_the_model(
    task: str,
    prediction_key: str,
    metric: str,
    lowest: float,
    highest: float,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    trained: Trained = request.getfixturevalue(task)
    by_slice = evaluate(trained, prediction_key, metric, tmp_path)
    assert by_slice[()]["example_count"] == 240
    assert lowest < by_slice[()]["metric"] <= highest
    values = {dict(key)["a%b"] for key in by_slice if key}
    assert {"Cash", "Credit Card", "für später"} <= values
