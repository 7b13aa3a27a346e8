"""Pushes a blessed model: first the complete version, then the pointer."""

from __future__ import annotations

import os
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import path_utils

from components.model_exports.results import find_pushed, has_same_exports
from components.pusher.versions import confirm_push, prune_versions, push_version
from components.served_model import keys, pointer
from components.served_model.lock import lock_serving
from components.served_model.served_record import ServedRecord, is_same_model, read_record_artifact
from pipeline.core.contracts import EXPORTS_DIRECTORY, ArtifactFile, Channel, Property
from pipeline.core.files import file_sizes, write_text_atomically


class Executor(base_executor.BaseExecutor):
    """Publishes the model, and the record of what it was made from and compared with."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        pushed = artifact_utils.get_single_instance(output_dict["pushed_model"])
        blessing = artifact_utils.get_single_instance(input_dict["blessing"])
        # TFX's function for this lies in a package that imports all TFX components.
        if blessing.get_int_custom_property(Property.BLESSED) != 1:
            pushed.set_int_custom_property(Property.PUSHED, 0)
            return
        model = artifact_utils.get_single_instance(input_dict["model"])
        directory = exec_properties["serving_directory"]
        path = path_utils.serving_model_path(model.uri, path_utils.is_old_model_artifact(model))
        with lock_serving(directory):
            _refuse_if_overtaken(input_dict, exec_properties)
            served = pointer.read_pointer(directory)
            exports = _find_exports(input_dict)
            # The served model, evaluated a second time, needs no second copy.
            is_served = (
                served is not None
                and served.model == model.uri
                and has_same_exports(served.served_model, exports)
            )
            version = (
                served.version
                if served and is_served
                else _push(path, exports, input_dict, directory)
            )
            record = _make_record(version, input_dict, exec_properties)
            pointer.write_pointer(directory, record)
            confirm_push(directory)
            # Runs that began before this push still read the version that was served then.
            needed = record.needed_versions() | (served.needed_versions() if served else set())
            prune_versions(directory, exec_properties["keep_versions"], needed)
        published = os.path.join(pushed.uri, ArtifactFile.SERVED_RECORD)
        write_text_atomically(published, record.to_json(), durable=True)
        # TFX's Pusher sets the same properties, and tools that read the lineage know them.
        pushed.set_int_custom_property(Property.PUSHED, 1)
        pushed.set_string_custom_property(
            Property.PUSHED_DESTINATION, os.path.join(directory, version)
        )
        pushed.set_string_custom_property(Property.PUSHED_VERSION, version)


def _refuse_if_overtaken(
    input_dict: dict[str, list[types.Artifact]], exec_properties: dict[str, Any]
) -> None:
    """Refuses the push if the candidate would now be compared with another model.

    A push of the served model itself passes, and so does a model that another run trained on the
    same data by the same rules at the same time: both were compared with the same baseline.

    Raises:
      ConfigError: another model is served since the candidate was compared.
    """
    directory = exec_properties["serving_directory"]
    key = keys.make_candidate_key(exec_properties["run_key"], input_dict["examples"])
    compared = read_record_artifact(artifact_utils.get_single_uri(input_dict["baseline"]))
    if not is_same_model(compared, pointer.find_record(directory, "baseline", key)):
        raise pointer.make_overtaken_error(directory)


def _find_exports(input_dict: dict[str, list[types.Artifact]]) -> str | None:
    """Returns the directory of the exports that passed, or None."""
    if not input_dict.get(Channel.EXPORTS):
        return None
    return find_pushed(artifact_utils.get_single_uri(input_dict[Channel.EXPORTS]))


def _push(
    model: str,
    exports: str | None,
    input_dict: dict[str, list[types.Artifact]],
    directory: str,
) -> str:
    """Pushes the model with its exports, and the data that later data is compared with."""
    names = ("schema", "statistics")
    reference = {name: artifact_utils.get_single_uri(input_dict[name]) for name in names}
    extra = {EXPORTS_DIRECTORY: exports} if exports else {}
    return push_version(model, reference, directory, extra)


def _make_record(
    version: str, input_dict: dict[str, list[types.Artifact]], exec_properties: dict[str, Any]
) -> ServedRecord:
    def uri(key: str) -> str:
        return str(artifact_utils.get_single_uri(input_dict[key]))

    examples = input_dict["examples"]
    return ServedRecord(
        version=version,
        model=uri("model"),
        files=file_sizes(os.path.join(exec_properties["serving_directory"], version)),
        evaluation=uri("evaluation"),
        statistics=uri("statistics"),
        schema=uri("schema"),
        label=exec_properties["label"],
        data_key=keys.make_candidate_key(exec_properties["data_key"], examples),
        run_key=keys.make_candidate_key(exec_properties["run_key"], examples),
        reference=read_record_artifact(uri("reference")),
        baseline=read_record_artifact(uri("baseline")),
    )
