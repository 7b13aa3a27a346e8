"""Pushes a blessed model: first the complete version, then the pointer."""

from __future__ import annotations

import os
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import path_utils

from components.pusher.candidates import add_candidate
from components.pusher.publication import prune, publish
from components.pusher.versions import new_number, push_version
from components.served_model import keys, pointer
from components.served_model.changes import Change, now, read_changes
from components.served_model.lock import lock_serving
from components.served_model.served_record import ServedRecord, is_same_model, read_record_artifact
from components.served_model.waiting import MODEL, SCHEMA, STATISTICS, Candidate
from pipeline.core.contracts import ArtifactFile, Property
from pipeline.core.files import file_sizes, write_text_atomically

_Inputs = dict[str, list[types.Artifact]]


class Executor(base_executor.BaseExecutor):
    """Publishes the model, and the record of what it was made from and compared with."""

    def Do(
        self,
        input_dict: _Inputs,
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        pushed = artifact_utils.get_single_instance(output_dict["pushed_model"])
        blessing = artifact_utils.get_single_instance(input_dict["blessing"])
        pushed.set_int_custom_property(Property.PUSHED, 0)
        # TFX's function for this lies in a package that imports all TFX components.
        if blessing.get_int_custom_property(Property.BLESSED) != 1:
            return
        directory = exec_properties["serving_directory"]
        with lock_serving(directory):
            _refuse_if_overtaken(input_dict, exec_properties)
            key = keys.make_candidate_key(exec_properties["run_key"], input_dict["examples"])
            if withdrawal := read_changes(directory).find_withdrawal(key):
                pushed.set_string_custom_property(Property.WITHDRAWN, withdrawal.describe())
                pushed.set_string_custom_property(Property.WITHDRAWN_VERSION, withdrawal.version)
                return
            served, run = pointer.read_pointer(directory), self._run_id()
            is_served = served is not None and served.model == _uri(input_dict, "model")
            waits = exec_properties["mode"] == "manual" and not is_served
            act = _wait if waits else _push
            record = act(input_dict, exec_properties, served, run)
        published = os.path.join(pushed.uri, ArtifactFile.SERVED_RECORD)
        write_text_atomically(published, record.to_json(), durable=True)
        # TFX's Pusher sets the same properties, and tools that read the lineage know them.
        pushed.set_int_custom_property(Property.PUSHED, int(not waits))
        pushed.set_string_custom_property(
            Property.PUSHED_DESTINATION, os.path.join(directory, record.version)
        )
        pushed.set_string_custom_property(Property.PUSHED_VERSION, record.version)

    def _run_id(self) -> str:
        # Kubeflow's tasks give the executor no id: nothing but the record of a change lacks it.
        return (self._context and self._context.pipeline_run_id) or ""


def _refuse_if_overtaken(input_dict: _Inputs, exec_properties: dict[str, Any]) -> None:
    """Refuses the push if the candidate would now be compared with another model.

    A push of the served model itself passes, and so does a model that another run trained on the
    same data by the same rules at the same time: both were compared with the same baseline.

    Raises:
      ConfigError: another model is served since the candidate was compared, or the candidate was
        withdrawn, or brought back, since the run began.
    """
    directory = exec_properties["serving_directory"]
    key = keys.make_candidate_key(exec_properties["run_key"], input_dict["examples"])
    compared = read_record_artifact(artifact_utils.get_single_uri(input_dict["baseline"]))
    if not is_same_model(compared, pointer.find_record(directory, "baseline", key)):
        raise pointer.make_overtaken_error(directory)
    # Without this check, the cache would later return what was decided in another state.
    if pointer.resolve_withdrawal(directory, key) != exec_properties["withdrawal"]:
        raise pointer.make_overtaken_error(directory)


def _push(
    input_dict: _Inputs, exec_properties: dict[str, Any], served: ServedRecord | None, run: str
) -> ServedRecord:
    """Makes the model the served model, unless it is so already; returns its record."""
    directory = exec_properties["serving_directory"]
    # The served model, evaluated a second time, needs no second copy.
    is_served = served is not None and served.model == _uri(input_dict, "model")
    if served is not None and is_served:
        version, change = served.version, None
    else:
        reference = {name: _uri(input_dict, name) for name in (SCHEMA, STATISTICS)}
        version = push_version(_find_saved_model(input_dict), reference, directory)
        key = keys.make_candidate_key(exec_properties["run_key"], input_dict["examples"])
        before = served.version if served else ""
        change = Change("push", version, key, now(), run=run, before=before)
    files = file_sizes(os.path.join(directory, version))
    record = _make_record(version, files, input_dict, exec_properties)
    publish(directory, record, change, exec_properties["pipeline"])
    prune(directory, exec_properties["keep_versions"], served)
    return record


def _wait(
    input_dict: _Inputs, exec_properties: dict[str, Any], served: ServedRecord | None, run: str
) -> ServedRecord:
    """Makes the model wait for `promote`; returns the record that it will be served with."""
    directory = exec_properties["serving_directory"]
    candidate = Candidate(
        record=_make_record(new_number(directory), {}, input_dict, exec_properties),
        since=now(),
        run=run,
        keep_versions=exec_properties["keep_versions"],
        pipeline=exec_properties["pipeline"],
    )
    places = {MODEL: _find_saved_model(input_dict)}
    places |= {name: _uri(input_dict, name) for name in (SCHEMA, STATISTICS)}
    return add_candidate(directory, candidate, places).record


def _find_saved_model(input_dict: _Inputs) -> str:
    model = artifact_utils.get_single_instance(input_dict["model"])
    path = path_utils.serving_model_path(model.uri, path_utils.is_old_model_artifact(model))
    return str(path)


def _uri(input_dict: _Inputs, key: str) -> str:
    return str(artifact_utils.get_single_uri(input_dict[key]))


def _make_record(
    version: str, files: dict[str, int], input_dict: _Inputs, exec_properties: dict[str, Any]
) -> ServedRecord:
    examples = input_dict["examples"]
    return ServedRecord(
        version=version,
        model=_uri(input_dict, "model"),
        files=files,
        evaluation=_uri(input_dict, "evaluation"),
        statistics=_uri(input_dict, "statistics"),
        schema=_uri(input_dict, "schema"),
        label=exec_properties["label"],
        data_key=keys.make_candidate_key(exec_properties["data_key"], examples),
        run_key=keys.make_candidate_key(exec_properties["run_key"], examples),
        split=artifact_utils.get_single_instance(examples).get_string_custom_property(
            Property.SPLIT
        ),
        reference=read_record_artifact(_uri(input_dict, "reference")),
        baseline=read_record_artifact(_uri(input_dict, "baseline")),
    )
