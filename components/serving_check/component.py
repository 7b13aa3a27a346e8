"""ServingCheck: whether a blessed model can be served, before the Pusher serves it.

TFX's InfraValidator does the same with the image of TensorFlow Serving, which needs Docker. This
component needs a process, compares the answers with the Evaluator's predictions, and measures.
"""

from __future__ import annotations

from collections.abc import Iterable

from tfx import types
from tfx.dsl.components.base import base_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.predictions.artifacts import PredictionTable
from components.serving_check.executor import Executor
from components.serving_check.settings import CheckSettings
from pipeline.config import CheckConfig
from pipeline.core.contracts import Channel

_INPUTS = {
    Channel.EXAMPLES: standard_artifacts.Examples,
    "model": standard_artifacts.Model,
    "schema": standard_artifacts.Schema,
    Channel.PREDICTIONS: PredictionTable,
    "model_blessing": standard_artifacts.ModelBlessing,
}


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {"settings": component_spec.ExecutionParameter(type=str)}
    INPUTS = {key: component_spec.ChannelParameter(type=kind) for key, kind in _INPUTS.items()}
    OUTPUTS = {
        Channel.BLESSING: component_spec.ChannelParameter(type=standard_artifacts.InfraBlessing)
    }


class ServingCheck(base_component.BaseComponent):
    """Asks a blessed model about rows of the evaluated split, in a process with TensorFlow alone.

    Args:
      check: the section `serving.check`.
      columns: the features.
      examples: the splits.
      model: the candidate.
      schema: the curated schema.
      predictions: the Evaluator's table of predictions.
      model_blessing: the Evaluator's blessing. A model without it is not asked.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.ExecutorClassSpec(Executor)

    def __init__(
        self,
        check: CheckConfig,
        columns: Iterable[str],
        examples: types.BaseChannel,
        model: types.BaseChannel,
        schema: types.BaseChannel,
        predictions: types.BaseChannel,
        model_blessing: types.BaseChannel,
    ) -> None:
        super().__init__(
            _Spec(
                settings=CheckSettings(check=check, columns=tuple(sorted(columns))).to_json(),
                examples=examples,
                model=model,
                schema=schema,
                predictions=predictions,
                model_blessing=model_blessing,
                blessing=types.Channel(type=standard_artifacts.InfraBlessing),
            )
        )
