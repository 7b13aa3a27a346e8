"""WarmStart: the weights of the served model, for a Trainer that goes on from them."""

from __future__ import annotations

import os
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_component, base_executor, executor_spec
from tfx.dsl.io import fileio
from tfx.types import artifact_utils, component_spec, standard_artifacts
from tfx.utils import io_utils, path_utils

from components.served_model import keys, pointer
from pipeline.config import LabelConfig

_KEPT = ("variables", "assets")
"""The weights, and the vocabularies that say what the rows of an embedding stand for."""


class Executor(base_executor.BaseExecutor):
    """Copies the weights of the model that the candidate is held against."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        key = keys.make_candidate_key(exec_properties["key"], input_dict["examples"])
        serving, resolved = exec_properties["serving_directory"], exec_properties["resolved"]
        served = pointer.find_unchanged_record(serving, "baseline", key, resolved)
        output = artifact_utils.get_single_uri(output_dict["model"])
        directory = path_utils.serving_model_dir(output)
        fileio.makedirs(directory)
        label = LabelConfig.model_validate_json(exec_properties["label"])
        # A model of another label has learnt something else.
        if served is None or not label.predicts_the_same(served.label):
            return
        for part in _KEPT:
            source = os.path.join(served.served_model, part)
            if fileio.exists(source):
                io_utils.copy_dir(source, os.path.join(directory, part))


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        "serving_directory": component_spec.ExecutionParameter(type=str),
        "key": component_spec.ExecutionParameter(type=str),
        "label": component_spec.ExecutionParameter(type=str),
        "resolved": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {"examples": component_spec.ChannelParameter(type=standard_artifacts.Examples)}
    OUTPUTS = {"model": component_spec.ChannelParameter(type=standard_artifacts.Model)}


class WarmStart(base_component.BaseComponent):
    """Gives the Trainer a `base_model`: no whole model, only what training can start from.

    On a first run it is empty. Takes the arguments of ServedModel in the role of a baseline, and
    `label`, what the candidate predicts.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        examples: types.BaseChannel,
        serving_directory: str,
        key: str,
        label: LabelConfig,
        resolved: str,
    ) -> None:
        super().__init__(
            _Spec(
                examples=examples,
                serving_directory=serving_directory,
                key=key,
                label=label.to_json(),
                resolved=resolved,
                model=types.Channel(type=standard_artifacts.Model),
            )
        )
