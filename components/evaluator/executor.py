"""Evaluates the candidate and the served model, and blesses the candidate or not.

TensorFlow Model Analysis runs the steps, checks the thresholds and writes the results. The project
reads the examples, predicts, writes the predictions and computes the metrics, one batch at a time;
see `numbered_examples`, `predictions`, `prediction_writer` and `sliced_metrics`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow_model_analysis as tfma
from pydantic import TypeAdapter
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_model_analysis.extractors import (
    example_weights_extractor,
    features_extractor,
    labels_extractor,
    transformed_features_extractor,
)
from tensorflow_model_analysis.proto import config_pb2
from tfx import types
from tfx.components.evaluator import constants
from tfx.components.util import tfxio_utils
from tfx.dsl.components.base import base_beam_executor
from tfx.dsl.io import fileio
from tfx.types import artifact_utils
from tfx.types import standard_component_specs as keys
from tfx.utils import io_utils, json_utils, path_utils, proto_utils

from components.beam_mode import add_running_mode, count_rows
from components.beam_workers import guard_beam_workers
from components.evaluator.numbered_examples import ReadNumberedExamples
from components.evaluator.prediction_writer import PredictionWriter
from components.evaluator.predictions import make_prediction_extractor
from components.evaluator.results import read_allowed_falls, read_metrics
from components.evaluator.served_signature import find_obstacle, read_inputs
from components.evaluator.sliced_metrics import SlicedMetrics
from components.predictions.deciding_metrics import (
    measure_deciding_metrics,
    write_deciding_metrics,
)
from components.predictions.estimates import Gap
from components.predictions.examples import find_split_files
from components.predictions.gaps.gaps_file import write_gaps
from components.predictions.gaps.judging import measure_gaps
from components.predictions.parts import sweep_staged
from components.served_model.served_record import read_record_artifact
from components.worker_threads import count_threads
from pipeline.config import GapLimit, LabelConfig
from pipeline.core.contracts import Channel, EvaluatedModel, Node, Property

BASELINE_RECORD = "baseline"
GAPS = "gaps"
LABEL = "label"

_GAPS = TypeAdapter(tuple[GapLimit, ...])

_Artifacts = dict[str, list[types.Artifact]]


class Executor(base_beam_executor.BaseBeamExecutor):
    """Evaluates the candidate, and compares it with the served model where that is possible."""

    _beam_pipeline_args: list[str]

    def Do(
        self, input_dict: _Artifacts, output_dict: _Artifacts, exec_properties: dict[str, Any]
    ) -> None:
        self._log_startup(input_dict, output_dict, exec_properties)
        label = LabelConfig.model_validate_json(exec_properties[LABEL])
        candidate = artifact_utils.get_single_instance(input_dict[keys.MODEL_KEY])
        evaluation = artifact_utils.get_single_instance(output_dict[keys.EVALUATION_KEY])
        schema_directory = artifact_utils.get_single_uri(input_dict[keys.SCHEMA_KEY])
        schema = io_utils.SchemaReader().read(io_utils.get_only_uri_in_dir(schema_directory))
        models = {EvaluatedModel.CANDIDATE: path_utils.serving_model_path(candidate.uri)}
        record = read_record_artifact(artifact_utils.get_single_uri(input_dict[BASELINE_RECORD]))
        if record and (reason := find_obstacle(record, label, schema)):
            evaluation.set_string_custom_property(
                Property.NOTE, f"evaluated without a baseline: {reason}"
            )
        elif record:
            models[EvaluatedModel.BASELINE] = record.served_model
        metrics = SlicedMetrics(
            _parse_eval_config(
                exec_properties[keys.EVAL_CONFIG_KEY], EvaluatedModel.BASELINE in models
            ),
            label,
        )
        [split] = json_utils.loads(exec_properties[keys.EXAMPLE_SPLITS_KEY])
        table = artifact_utils.get_single_uri(output_dict[Channel.PREDICTIONS])
        fileio.makedirs(table)
        writer = PredictionWriter(table, split, metrics)
        self._run(writer, input_dict[keys.EXAMPLES_KEY], schema, models, evaluation.uri)
        gaps = _measure_gaps(_GAPS.validate_json(exec_properties[GAPS]), writer, evaluation.uri)
        write_gaps(evaluation.uri, gaps)
        values, served = (
            read_metrics(evaluation.uri, model).get("", {})
            for model in (EvaluatedModel.CANDIDATE, EvaluatedModel.BASELINE)
        )
        allowed = read_allowed_falls(evaluation.uri)
        deciding = measure_deciding_metrics(table, allowed, values, served)
        write_deciding_metrics(evaluation.uri, deciding)
        blessed = tfma.load_validation_result(evaluation.uri).validation_ok
        blessing = artifact_utils.get_single_instance(output_dict[keys.BLESSING_KEY])
        _bless(blessing, candidate, blessed and all(gap.passed for gap in gaps))

    def _run(
        self,
        writer: PredictionWriter,
        artifacts: list[types.Artifact],
        schema: schema_pb2.Schema,
        models: Mapping[str, str],
        directory: str,
    ) -> None:
        """Writes the results of the evaluation to `directory`, and the table of predictions."""
        columns = _list_columns(writer.metrics, models)
        tfxio = tfxio_utils.get_split_tfxio(artifacts, writer.split, [Node.EVALUATOR], schema)
        representations = tfxio.Project(columns).TensorRepresentations()
        [examples] = artifacts
        files = find_split_files(examples, writer.split, schema, columns)
        rows = count_rows(examples, [writer.split])
        self._beam_pipeline_args = add_running_mode(self._beam_pipeline_args, rows)
        guard_beam_workers()
        threads = count_threads(self._beam_pipeline_args)
        with self._make_beam_pipeline() as pipeline:
            _ = (
                pipeline
                | "ReadExamples" >> ReadNumberedExamples(files)
                | "Evaluate" >> _evaluate(writer, models, representations, directory, threads)
            )
        sweep_staged(writer.directory)


def _measure_gaps(
    limits: Sequence[GapLimit], writer: PredictionWriter, directory: str
) -> tuple[Gap, ...]:
    if not limits:
        return ()
    least = writer.metrics.eval_config.options.min_slice_size.value
    values = read_metrics(directory)
    return measure_gaps(writer.directory, values, limits, writer.metrics.label, least)


def _parse_eval_config(text: str, has_baseline: bool) -> config_pb2.EvalConfig:
    """Returns the EvalConfig in `text`, without baseline and change thresholds if there is none.

    TFMA then gives the candidate no name.
    """
    eval_config = config_pb2.EvalConfig()
    proto_utils.json_to_proto(text, eval_config)
    complete = tfma.utils.update_eval_config_with_defaults(
        eval_config, has_baseline=has_baseline, rubber_stamp=True
    )
    tfma.utils.verify_eval_config(complete)
    return complete


def _list_columns(metrics: SlicedMetrics, models: Mapping[str, str]) -> list[str]:
    """Returns the columns that the models, the label and the slices read."""
    columns = {name for path in models.values() for name in read_inputs(path)}
    return sorted({*columns, *metrics.slice_columns(), metrics.label.column})


def _evaluate(
    writer: PredictionWriter,
    models: Mapping[str, str],
    representations: Mapping[str, Any],
    directory: str,
    threads: int,
) -> Any:
    """Returns the transform from Arrow record batches to TFMA's result files in `directory`.

    Args:
      threads: the threads of TensorFlow in a worker process.
    """
    config = writer.metrics.eval_config
    shared = [
        tfma.default_eval_shared_model(path, model_name=spec.name, eval_config=config)
        for spec, path in zip(config.model_specs, models.values(), strict=True)
    ]
    return tfma.ExtractEvaluateAndWriteResults(
        eval_config=config,
        eval_shared_model=shared if len(shared) > 1 else shared[0],
        extractors=[
            features_extractor.FeaturesExtractor(config, representations),
            transformed_features_extractor.TransformedFeaturesExtractor(config, shared),
            labels_extractor.LabelsExtractor(config),
            example_weights_extractor.ExampleWeightsExtractor(config),
            make_prediction_extractor(config, shared, threads),
            writer.make_extractor(),
        ],
        evaluators=[writer.metrics.make_evaluator()],
        output_path=directory,
    )


def _bless(blessing: types.Artifact, candidate: types.Artifact, blessed: bool) -> None:
    """Writes the file and the properties by which TFX recognises a blessed model."""
    name = constants.BLESSED_FILE_NAME if blessed else constants.NOT_BLESSED_FILE_NAME
    io_utils.write_string_file(os.path.join(blessing.uri, name), "")
    value = constants.BLESSED_VALUE if blessed else constants.NOT_BLESSED_VALUE
    blessing.set_int_custom_property(constants.ARTIFACT_PROPERTY_BLESSED_KEY, value)
    blessing.set_string_custom_property(
        constants.ARTIFACT_PROPERTY_CURRENT_MODEL_URI_KEY, candidate.uri
    )
    blessing.set_int_custom_property(constants.ARTIFACT_PROPERTY_CURRENT_MODEL_ID_KEY, candidate.id)
