"""Evaluator: replaces TFX's Evaluator, with the served model as the baseline."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tensorflow_model_analysis.proto import config_pb2
from tfx import types
from tfx.dsl.components.base import base_beam_component, executor_spec
from tfx.types import component_spec, standard_artifacts, standard_component_specs
from tfx.utils import json_utils

from components.evaluator.executor import BASELINE_RECORD, GAPS, LABEL, Executor
from components.predictions.artifacts import PredictionTable
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import GapLimit, LabelConfig
from pipeline.core.contracts import Channel


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        standard_component_specs.EVAL_CONFIG_KEY: component_spec.ExecutionParameter(
            type=config_pb2.EvalConfig
        ),
        standard_component_specs.EXAMPLE_SPLITS_KEY: component_spec.ExecutionParameter(type=str),
        GAPS: component_spec.ExecutionParameter(type=str),
        LABEL: component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {
        **{
            key: standard_component_specs.EvaluatorSpec.INPUTS[key]
            for key in (
                standard_component_specs.EXAMPLES_KEY,
                standard_component_specs.MODEL_KEY,
                standard_component_specs.SCHEMA_KEY,
            )
        },
        BASELINE_RECORD: component_spec.ChannelParameter(type=ServedModelRecord),
    }
    OUTPUTS = {
        **standard_component_specs.EvaluatorSpec.OUTPUTS,
        Channel.PREDICTIONS: component_spec.ChannelParameter(type=PredictionTable),
    }


class Evaluator(base_beam_component.BaseBeamComponent):
    """Evaluates a model alone and against the served model, and blesses it or not.

    TFX's Evaluator takes its baseline from a channel that must hold a model, so it cannot run
    first.

    Args:
      examples: the Examples to evaluate on.
      model: the candidate.
      schema: the curated schema, by which TFXIO reads the examples.
      baseline: the ServedModelRecord of the served model; empty on a first run.
      eval_config: slices and thresholds for a candidate and a baseline.
      gaps: the entries of `evaluation.gaps`.
      example_splits: the name of the split to evaluate on, as a list of one.
      label: the section `label`. A served model of another label is not used as a baseline.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)

    def __init__(
        self,
        examples: types.BaseChannel,
        model: types.BaseChannel,
        schema: types.BaseChannel,
        baseline: types.BaseChannel,
        eval_config: config_pb2.EvalConfig,
        gaps: Sequence[GapLimit],
        example_splits: list[str],
        label: LabelConfig,
    ) -> None:
        super().__init__(
            _Spec(
                **{
                    standard_component_specs.EXAMPLES_KEY: examples,
                    standard_component_specs.MODEL_KEY: model,
                    standard_component_specs.SCHEMA_KEY: schema,
                    standard_component_specs.EVAL_CONFIG_KEY: eval_config,
                    standard_component_specs.EXAMPLE_SPLITS_KEY: json_utils.dumps(example_splits),
                    standard_component_specs.EVALUATION_KEY: types.Channel(
                        type=standard_artifacts.ModelEvaluation
                    ),
                    standard_component_specs.BLESSING_KEY: types.Channel(
                        type=standard_artifacts.ModelBlessing
                    ),
                    Channel.PREDICTIONS: types.Channel(type=PredictionTable),
                    BASELINE_RECORD: baseline,
                    GAPS: json.dumps([limit.model_dump(mode="json") for limit in gaps]),
                    LABEL: label.to_json(),
                }
            )
        )
