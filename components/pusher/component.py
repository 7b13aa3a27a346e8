"""Pusher: makes a blessed model the served model, atomically.

It replaces TFX's Pusher, which copies into the live version directory, where a server can load half
a model, and which keeps no record of what the model was made from.
"""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.pusher.executor import Executor
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import LabelConfig, ServingConfig

_INPUTS = {
    "examples": standard_artifacts.Examples,
    "statistics": standard_artifacts.ExampleStatistics,
    "schema": standard_artifacts.Schema,
    "model": standard_artifacts.Model,
    "evaluation": standard_artifacts.ModelEvaluation,
    "blessing": standard_artifacts.ModelBlessing,
    "reference": ServedModelRecord,
    "baseline": ServedModelRecord,
}


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        "serving_directory": component_spec.ExecutionParameter(type=str),
        "keep_versions": component_spec.ExecutionParameter(type=int),
        "mode": component_spec.ExecutionParameter(type=str),
        "pipeline": component_spec.ExecutionParameter(type=str),
        "label": component_spec.ExecutionParameter(type=str),
        "data_key": component_spec.ExecutionParameter(type=str),
        "run_key": component_spec.ExecutionParameter(type=str),
        "withdrawal": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {key: component_spec.ChannelParameter(type=kind) for key, kind in _INPUTS.items()}
    OUTPUTS = {"pushed_model": component_spec.ChannelParameter(type=standard_artifacts.PushedModel)}


class Pusher(base_component.BaseComponent):
    """Pushes `inputs["model"]` to a new version if `inputs["blessing"]` blesses it.

    A model that a rollback withdrew is not pushed again.

    Args:
      serving_directory: the directory of the versions and the pointer.
      serving: the section `serving`: how many versions to keep, and whether a person promotes.
      pipeline: the name of the pipeline.
      label: the section `label` of the model.
      data_key: identifies the gate's rules; with the data's fingerprint, the data, too.
      run_key: identifies everything but the data that the model depends on; see pipeline/keys.py.
      withdrawal: what `resolve_withdrawal` returned when the run began. It shows a rollback to the
        cache. The component fails if that has changed by the time it runs.
      inputs: a channel for each artifact that the record names; see ServedRecord.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        serving_directory: str,
        serving: ServingConfig,
        pipeline: str,
        label: LabelConfig,
        data_key: str,
        run_key: str,
        withdrawal: str,
        **inputs: types.BaseChannel,
    ) -> None:
        super().__init__(
            _Spec(
                serving_directory=serving_directory,
                keep_versions=serving.keep_versions,
                mode=serving.mode,
                pipeline=pipeline,
                label=label.to_json(),
                data_key=data_key,
                run_key=run_key,
                withdrawal=withdrawal,
                pushed_model=types.Channel(type=standard_artifacts.PushedModel),
                **inputs,
            )
        )
