"""Pushes a blessed model: first the complete version, then the pointer."""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import path_utils

from components.model_exports.results import find_pushed
from components.pusher.candidates import add_candidate
from components.pusher.publication import prune, publish
from components.pusher.versions import new_number, push_version
from components.served_model import keys, pointer
from components.served_model.changes import Change, now, read_changes
from components.served_model.lock import lock_serving
from components.served_model.same_model import is_same_saved_model
from components.served_model.served_record import ServedRecord, is_same_model, read_record_artifact
from components.served_model.version_records import refuse_lost_pointer, refuse_lost_version
from components.served_model.waiting import MODEL, SCHEMA, STATISTICS, Candidate
from pipeline.core.contracts import EXPORTS_DIRECTORY, ArtifactFile, Channel, Property
from pipeline.core.errors import ConfigError
from pipeline.core.files import file_sizes, write_text_atomically

_Inputs = dict[str, list[types.Artifact]]

_KEPT = (
    "version {} stays served: this run repeated the training of that version, and the two models "
    "differ, but were not compared. To compare, set training.seed to another number"
)


class Executor(base_executor.BaseExecutor):
    """Publishes the model, and the record of what it was made from and compared with."""

    def Do(
        self,
        input_dict: _Inputs,
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        pushed = artifact_utils.get_single_instance(output_dict["pushed_model"])
        pushed.set_int_custom_property(Property.PUSHED, 0)
        if not _is_blessed(input_dict):
            return
        directory = exec_properties["serving_directory"]
        candidate = _make_record(input_dict, exec_properties)
        with lock_serving(directory):
            refuse_lost_pointer(directory)
            refuse_lost_version(directory, candidate.run_key)
            _refuse_if_overtaken(candidate, exec_properties)
            if withdrawal := read_changes(directory).find_withdrawal(candidate.push_key):
                pushed.set_string_custom_property(Property.WITHDRAWN, withdrawal.describe())
                pushed.set_string_custom_property(Property.WITHDRAWN_VERSION, withdrawal.version)
                return
            push = _Push(candidate, input_dict, exec_properties, self._run_id())
            record = push.carry_out()
        if push.repeats:
            pushed.set_string_custom_property(Property.NOTE, _KEPT.format(record.version))
        published = os.path.join(pushed.uri, ArtifactFile.SERVED_RECORD)
        write_text_atomically(published, record.to_json(), durable=True)
        # TFX's Pusher sets the same properties, and tools that read the lineage know them.
        is_served = not (push.waits or push.repeats)
        pushed.set_int_custom_property(Property.PUSHED, int(is_served))
        pushed.set_string_custom_property(
            Property.PUSHED_DESTINATION, os.path.join(directory, record.version)
        )
        pushed.set_string_custom_property(Property.PUSHED_VERSION, record.version)

    def _run_id(self) -> str:
        # Kubeflow's tasks give the executor no id: nothing but the record of a change lacks it.
        return (self._context and self._context.pipeline_run_id) or ""


def _is_blessed(input_dict: _Inputs) -> bool:
    """Whether the Evaluator blessed the model, and ServingCheck did where it is in the pipeline."""
    # TFX's function for this lies in a package that imports all TFX components.
    return all(
        blessing.get_int_custom_property(Property.BLESSED) == 1
        for key in ("blessing", Channel.INFRA_BLESSING)
        for blessing in input_dict.get(key) or ()
    )


def _refuse_if_overtaken(candidate: ServedRecord, exec_properties: dict[str, Any]) -> None:
    """Refuses the push if the candidate would now be compared with another model.

    A push of the served model itself passes, and so does a model that another run trained on the
    same data by the same rules: see `_Push.repeats`.

    Raises:
      ConfigError: another model is served since the candidate was compared, or the candidate was
        withdrawn, or brought back, since the run began.
    """
    directory = exec_properties["serving_directory"]
    baseline = pointer.find_record(directory, "baseline", candidate.run_key)
    if not is_same_model(candidate.baseline, baseline):
        raise pointer.make_overtaken_error(directory)
    # Without this check, the cache would later return what was decided in another state.
    withdrawal = pointer.resolve_withdrawal(directory, candidate.push_key)
    if withdrawal != exec_properties["withdrawal"]:
        raise pointer.make_overtaken_error(directory)


class _Push:
    """One candidate, and what the serving directory holds under its lock."""

    def __init__(
        self,
        candidate: ServedRecord,
        input_dict: _Inputs,
        exec_properties: dict[str, Any],
        run: str,
    ) -> None:
        self._candidate = candidate
        self._inputs = input_dict
        self._properties = exec_properties
        self._run = run
        self._directory: str = exec_properties["serving_directory"]
        self._served = pointer.read_pointer(self._directory)
        self._has_same_key = self._served is not None and self._served.run_key == candidate.run_key
        self._is_same_model = self._served is not None and is_same_saved_model(
            _find_saved_model(input_dict),
            self._served.served_model,
            same_key=self._has_same_key,
        )

    @property
    def is_served(self) -> bool:
        """Whether the candidate is the served model, with the served exports."""
        served = self._served is not None and self._served.exports_key
        return self._is_same_model and self._candidate.exports_key == served

    @property
    def repeats(self) -> bool:
        """Whether the candidate repeats the training of the served model, and differs from it.

        By its key, it was compared with the served model's own baseline, and not with the served
        model. So it must not replace the served model.
        """
        return self._has_same_key and not self._is_same_model

    @property
    def waits(self) -> bool:
        """Whether the candidate waits for a person."""
        is_manual = self._properties["mode"] == "manual"
        return is_manual and not self.is_served and not self.repeats

    def carry_out(self) -> ServedRecord:
        """Publishes the model, makes it wait, or leaves the served model; returns the record.

        Raises:
          ConfigError: the candidate repeats the served model's training, with other exports.
        """
        if self.repeats:
            return self._keep()
        return self._wait() if self.waits else self._publish()

    def _keep(self) -> ServedRecord:
        """Leaves the served model as it is, because this one repeats it; returns its record.

        Raises:
          ConfigError: the candidate has other exports than the served model.
        """
        assert self._served is not None
        if self._candidate.exports_key != self._served.exports_key:
            raise ConfigError(
                f"exports: version {self._served.version} is served with other exports, and this "
                "run repeated its training: the two models differ, but were not compared",
                "set training.seed to another number: the model then counts as a new one, and is "
                "compared with the served one",
            )
        return self._served.with_directory("")

    def _publish(self) -> ServedRecord:
        """Makes the model the served model, unless it is so already; returns its record."""
        served = self._served
        # The served model, evaluated a second time, needs no second copy.
        if served is not None and self.is_served:
            version, change = served.version, None
        else:
            reference = {name: _uri(self._inputs, name) for name in (SCHEMA, STATISTICS)}
            version = push_version(
                _find_saved_model(self._inputs),
                reference,
                self._directory,
                extra=_find_exports(self._inputs),
            )
            before = served.version if served else ""
            key = self._candidate.push_key
            change = Change("push", version, key, now(), run=self._run, before=before)
        files = file_sizes(os.path.join(self._directory, version))
        record = dataclasses.replace(self._candidate, version=version, files=files)
        publish(self._directory, record, change, self._properties["pipeline"])
        prune(self._directory, self._properties["keep_versions"], served)
        return record

    def _wait(self) -> ServedRecord:
        """Makes the model wait for `promote`; returns the record that it will be served with."""
        candidate = Candidate(
            record=dataclasses.replace(self._candidate, version=new_number(self._directory)),
            since=now(),
            run=self._run,
            keep_versions=self._properties["keep_versions"],
            pipeline=self._properties["pipeline"],
        )
        places = {MODEL: _find_saved_model(self._inputs)}
        exports = _find_exports(self._inputs).items()
        places |= {os.path.join(MODEL, name): directory for name, directory in exports}
        places |= {name: _uri(self._inputs, name) for name in (SCHEMA, STATISTICS)}
        return add_candidate(self._directory, candidate, places).record


def _find_saved_model(input_dict: _Inputs) -> str:
    model = artifact_utils.get_single_instance(input_dict["model"])
    path = path_utils.serving_model_path(model.uri, path_utils.is_old_model_artifact(model))
    return str(path)


def _find_exports(input_dict: _Inputs) -> dict[str, str]:
    """Returns the directory of the exports that passed, if any, by its path in the version."""
    if not input_dict.get(Channel.EXPORTS):
        return {}
    passed = find_pushed(_uri(input_dict, Channel.EXPORTS))
    return {EXPORTS_DIRECTORY: passed} if passed else {}


def _uri(input_dict: _Inputs, key: str) -> str:
    return str(artifact_utils.get_single_uri(input_dict[key]))


def _make_record(input_dict: _Inputs, exec_properties: dict[str, Any]) -> ServedRecord:
    """Returns the candidate's record, without the version and its files."""
    examples = input_dict["examples"]
    return ServedRecord(
        version="",
        model=_uri(input_dict, "model"),
        evaluation=_uri(input_dict, "evaluation"),
        statistics=_uri(input_dict, "statistics"),
        schema=_uri(input_dict, "schema"),
        label=exec_properties["label"],
        data_key=keys.make_candidate_key(exec_properties["data_key"], examples),
        run_key=keys.make_candidate_key(exec_properties["run_key"], examples),
        exports_key=exec_properties["exports_key"],
        split=artifact_utils.get_single_instance(examples).get_string_custom_property(
            Property.SPLIT
        ),
        reference=read_record_artifact(_uri(input_dict, "reference")),
        baseline=read_record_artifact(_uri(input_dict, "baseline")),
    )
