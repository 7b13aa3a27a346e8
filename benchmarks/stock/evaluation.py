"""Runs TFX's own Evaluator on this project's model and examples, to compare both Evaluators.

`python -m benchmarks.stock.evaluation SPEC` answers with these metrics, and with the metrics of the
stock pipeline's Evaluator, by slice.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from google.protobuf import json_format
from tfx.components.evaluator import executor
from tfx.dsl.components.base import base_beam_executor
from tfx.types import standard_artifacts

from benchmarks.artifacts import find_artifact
from benchmarks.spec import write_answer
from benchmarks.stock.metrics import with_tfma_metrics
from benchmarks.stock.pipeline import beam_args
from components.evaluator.results import read_metrics
from pipeline.config import Config
from pipeline.core.contracts import Split
from pipeline.eval_config import make_eval_config


def evaluate(spec: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """Returns TFX's metrics of this project's model as `same_model`, and the stock pipeline's own
    metrics as `stock`.
    """
    config = Config.model_validate_json(spec["config"])
    directory = Path(spec["directory"])
    _run_evaluator(config, Path(spec["ours"]), directory)
    stock = find_artifact(Path(spec["stock"]), "Evaluator", "evaluation")
    return {"same_model": read_metrics(str(directory)), "stock": read_metrics(str(stock))}


def _run_evaluator(config: Config, ours: Path, directory: Path) -> None:
    context = base_beam_executor.BaseBeamExecutor.Context(
        beam_pipeline_args=beam_args(), tmp_dir=str(directory / "tmp"), unique_id="1"
    )
    model, schema = standard_artifacts.Model(), standard_artifacts.Schema()
    model.uri = str(find_artifact(ours, "Trainer", "model"))
    schema.uri = str(find_artifact(ours, "SchemaCurator", "schema"))
    evaluation, blessing = standard_artifacts.ModelEvaluation(), standard_artifacts.ModelBlessing()
    evaluation.uri, blessing.uri = str(directory), str(directory / "blessing")
    eval_config = json_format.MessageToJson(
        with_tfma_metrics(make_eval_config(config), config.label.task),
        preserving_proto_field_name=True,
    )
    executor.Executor(context).Do(
        {"examples": [_examples(ours)], "model": [model], "schema": [schema]},
        {"evaluation": [evaluation], "blessing": [blessing]},
        {
            "eval_config": eval_config,
            "example_splits": json.dumps([config.evaluation.split]),
            "fairness_indicator_thresholds": "null",
        },
    )


def _examples(ours: Path) -> standard_artifacts.Examples:
    examples = standard_artifacts.Examples()
    examples.uri = str(find_artifact(ours, "ExampleGen", "examples"))
    examples.split_names = json.dumps([*Split.ALL])
    examples.set_string_custom_property("payload_format", "FORMAT_PARQUET")
    examples.set_string_custom_property("file_format", "FILE_FORMAT_PARQUET")
    return examples


if __name__ == "__main__":
    write_answer(sys.argv[1], evaluate)
