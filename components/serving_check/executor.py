"""The executor of ServingCheck: asks the candidate in a process of its own."""

from __future__ import annotations

from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import path_utils

from components.serving_check.bare_model import BareModel
from components.serving_check.blessing import write_blessing
from components.serving_check.check import check_model
from components.serving_check.sample import read_sample
from components.serving_check.settings import CheckSettings
from pipeline.core.contracts import Channel, Property


class Executor(base_executor.BaseExecutor):
    """Writes the InfraBlessing. A model that fails the check is a result, and no failure."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        infra_blessing = artifact_utils.get_single_instance(output_dict[Channel.BLESSING])
        blessing = artifact_utils.get_single_instance(input_dict["model_blessing"])
        if blessing.get_int_custom_property(Property.BLESSED) != 1:
            write_blessing(infra_blessing, None)
            return
        uris = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        settings = CheckSettings.model_validate_json(exec_properties["settings"])
        examples = artifact_utils.get_single_instance(input_dict[Channel.EXAMPLES])
        # The process imports TensorFlow while the rows are read.
        with BareModel(settings.check.seconds) as model:
            sample = read_sample(
                examples, uris[Channel.PREDICTIONS], uris["schema"], settings.columns
            )
            path = path_utils.serving_model_path(uris["model"])
            result = check_model(model, path, sample, settings.check)
        write_blessing(infra_blessing, result)
