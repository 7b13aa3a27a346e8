"""The executor of BatchPredictor: runs `predict` and describes the outcome on the artifact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_beam_executor
from tfx.types import artifact_utils

from components.served_model.served_record import read_pointer_file
from pipeline.config import DataConfig
from pipeline.config.sections.serving import PredictionConfig
from pipeline.core.contracts import Channel, Property
from pipeline.core.errors import PipelineError
from pipeline.core.text import counted
from serving.batch.make_task import describe_task
from serving.batch.model_choice import choose_model
from serving.batch.outcome import Outcome
from serving.batch.predict import predict
from serving.batch.results.completing import MANIFEST
from serving.batch.results.output_files import open_output

_NOTHING_SERVED = "no version is served yet, so no file is scored"


class Executor(base_beam_executor.BaseBeamExecutor):
    """Predicts in threads of this process, or with Beam if the configuration sets its engine."""

    _beam_pipeline_args: list[str]

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        """Writes the predictions and a copy of their manifest.

        Before the first push there is no version to score with. That is no failure: the verdict of
        the run says why the candidate was not pushed.

        Raises:
          ConfigError: the served version is not whole, no file is found, or a column is missing.
          DataError: a file cannot be read, or too many rows are bad.
        """
        artifact = artifact_utils.get_single_instance(output_dict[Channel.BATCH_PREDICTIONS])
        serving = exec_properties["serving_directory"]
        if read_pointer_file(serving) is None:
            artifact.set_string_custom_property(Property.NOTE, _NOTHING_SERVED)
            return
        task = describe_task(
            DataConfig.model_validate_json(exec_properties["data"]),
            choose_model(Path(serving), None),
            PredictionConfig.model_validate_json(exec_properties["prediction"]),
            # The glob of a schedule names other files from day to day.
            overwrite=True,
            beam=self._beam_pipeline_args,
        )
        outcome = predict(task)
        files = open_output(outcome.output)
        manifest = files.read(MANIFEST)
        if manifest is None:
            raise PipelineError(f"{files.locate(MANIFEST)} is gone", "repeat the run")
        Path(artifact.uri, MANIFEST).write_bytes(manifest)
        artifact.set_string_custom_property(Property.NOTE, _describe(outcome))


def _describe(outcome: Outcome) -> str:
    bad = f", {counted(outcome.bad_rows, 'bad row')}" if outcome.bad_rows else ""
    kept = f", {counted(outcome.reused_files, 'file')} as before" if outcome.reused_files else ""
    return (
        f"version {outcome.version} scored {counted(outcome.rows, 'row')} of "
        f"{counted(outcome.files, 'file')}{kept}{bad}: {outcome.output}"
    )
