"""WarmStart copies the served model's weights for a Trainer that starts from them."""

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

_COPIED = ("variables", "assets")
"""The weights, and the vocabularies that tell which category each row of an embedding is."""


class Executor(base_executor.BaseExecutor):
    """Copies the weights of the candidate's baseline."""

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
        # The weights of a model with another label are no useful start.
        if served is None or not label.predicts_the_same(served.label):
            return
        for part in _COPIED:
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
    """Writes a `base_model` for the Trainer: only the weights and vocabularies, not a whole model.

    The output is empty on a first run, and when the served model has another label.

    Args:
      examples: the candidate's examples; their fingerprint completes `key`.
      serving_directory: the directory where the Pusher writes the pointer.
      key: the digest of everything but the data that the model depends on.
      label: the section `label` of the candidate.
      resolved: as for ServedModel in the role of a baseline.
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
