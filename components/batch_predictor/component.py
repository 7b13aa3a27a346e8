"""BatchPredictor: scores the files of the section `prediction` with the served version.

TFX's BulkInferrer takes tf.Examples and writes PredictionLogs, which have no key and no names.
"""

from __future__ import annotations

from tfx import types
from tfx.dsl.components.base import base_beam_component, executor_spec
from tfx.types import component_spec, standard_artifacts

from components.batch_predictor.artifacts import BatchPredictions
from components.batch_predictor.executor import Executor
from pipeline.config import DataConfig
from pipeline.config.sections.serving import PredictionConfig
from pipeline.core.contracts import Channel


class _Spec(component_spec.ComponentSpec):
    PARAMETERS = {
        "serving_directory": component_spec.ExecutionParameter(type=str),
        "prediction": component_spec.ExecutionParameter(type=str),
        "data": component_spec.ExecutionParameter(type=str),
        "run": component_spec.ExecutionParameter(type=str),
    }
    INPUTS = {
        Channel.PUSHED_MODEL: component_spec.ChannelParameter(type=standard_artifacts.PushedModel)
    }
    OUTPUTS = {Channel.BATCH_PREDICTIONS: component_spec.ChannelParameter(type=BatchPredictions)}


class BatchPredictor(base_beam_component.BaseBeamComponent):
    """Scores files after the Pusher, with the version that is served then.

    That is the version of an earlier run, if this run's candidate is not blessed.

    Args:
      pushed_model: the Pusher's output.
      serving_directory: the directory of the versions and the pointer.
      prediction: the section `prediction`.
      data: the section `data`, by which the files are read.
      run: differs from run to run, since TFX's cache does not see the files.
    """

    SPEC_CLASS = _Spec
    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)

    def __init__(
        self,
        pushed_model: types.BaseChannel,
        serving_directory: str,
        prediction: PredictionConfig,
        data: DataConfig,
        run: str,
    ) -> None:
        super().__init__(
            _Spec(
                pushed_model=pushed_model,
                serving_directory=serving_directory,
                prediction=prediction.to_json(),
                data=data.to_json(),
                run=run,
                batch_predictions=types.Channel(type=BatchPredictions),
            )
        )
