"""Pusher: makes a blessed model the served model, atomically.

It replaces TFX's Pusher, which copies into the live version directory, where a server can load half
a model, and which keeps no record of what the model was made from.
"""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.model_exports.artifacts import ModelExports
from components.pusher.executor import Executor
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import LabelConfig
from pipeline.core.contracts import Channel

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
        "label": component_spec.ExecutionParameter(type=str),
        "data_key": component_spec.ExecutionParameter(type=str),
        "run_key": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {
        **{key: component_spec.ChannelParameter(type=kind) for key, kind in _INPUTS.items()},
        Channel.EXPORTS: component_spec.ChannelParameter(type=ModelExports, optional=True),
    }
    OUTPUTS = {"pushed_model": component_spec.ChannelParameter(type=standard_artifacts.PushedModel)}


class Pusher(base_component.BaseComponent):
    """Pushes `inputs["model"]` to a new version if `inputs["blessing"]` blesses it.

    Args:
      serving_directory: the directory of the versions and the pointer.
      keep_versions: the number of newest versions to keep.
      label: the section `label` of the model.
      data_key: identifies the gate's rules; with the data's fingerprint, the data, too.
      run_key: identifies everything but the data that the model depends on; see pipeline/keys.py.
      exports: the model's exports, which are pushed with it; None without a section `exports`.
      inputs: a channel for each artifact that the record names; see ServedRecord.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        serving_directory: str,
        keep_versions: int,
        label: LabelConfig,
        data_key: str,
        run_key: str,
        exports: types.BaseChannel | None = None,
        **inputs: types.BaseChannel,
    ) -> None:
        super().__init__(
            _Spec(
                serving_directory=serving_directory,
                keep_versions=keep_versions,
                label=label.to_json(),
                data_key=data_key,
                run_key=run_key,
                pushed_model=types.Channel(type=standard_artifacts.PushedModel),
                exports=exports,
                **inputs,
            )
        )
