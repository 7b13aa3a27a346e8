"""The first task of every run: it computes the execution properties of all other tasks.

No other task knows the configuration. The first task reads the data and the served model, wires the
DAG again, as a local run does, and passes each task its execution properties as one parameter.
Kubeflow's cache compares parameters, so only tasks whose properties or inputs changed run. The
first task itself is never cached.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from components.engine.readiness import check_engine
from components.model_exporter.packages import require_export_packages
from components.served_model.lock import lock_serving
from components.served_model.version_records import refuse_lost_pointer
from pipeline.config import Config
from pipeline.config.load import override
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError
from pipeline.core.events import to_json
from pipeline.core.stores.address import is_store_address
from pipeline.dag import Target
from pipeline.runners.engine_check import check_workers
from pipeline.runners.kubeflow.compiling.compile import adapt_to_kubeflow, compile_with_tfx
from pipeline.runners.kubeflow.compiling.compiled_pipeline import compute_graph_digest
from pipeline.runners.kubeflow.compiling.execution_properties import read_constants
from pipeline.runners.kubeflow.compiling.parameter_encoding import (
    decode_parameter,
    encode_parameter,
)
from pipeline.runners.kubeflow.compiling.required_settings import is_on_volume
from pipeline.runners.kubeflow.compiling.spec import Spec
from pipeline.runners.kubeflow.compiling.target import make_target
from pipeline.runners.kubeflow.compiling.task_names import PREPARE, task_name
from pipeline.runners.kubeflow.in_cluster.drivers import CHECKED, FINGERPRINT
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.outputs import write_output
from pipeline.runners.kubeflow.in_cluster.recording import Result
from pipeline.runners.kubeflow.in_cluster.uris import to_path
from pipeline.runners.kubeflow.run_overrides import apply_overrides, read_assignments
from pipeline.runners.kubeflow.run_records.task_record import digest_properties
from pipeline.runners.reporting.reading.record import list_data_files
from pipeline.runners.served_resolution import (
    resolve_served_model,
    resolve_split,
    resolve_withdrawal,
)
from pipeline.runners.workspace.backups import list_published, sweep_backups
from pipeline.runners.workspace.lock import UnwritableError, make_writable
from pipeline.runners.workspace.places import Workspace
from pipeline.runners.workspace.prediction_output import check_predictions
from pipeline.runners.workspace.serving_directory import (
    check_serving,
    check_serving_store,
    refuse_foreign,
)
from pipeline.sources import compute_input_fingerprint


def run_prepare(executor_input: Json) -> Result:
    """Writes the properties of each node to the output file that Kubeflow names for the node.

    Also removes the backups of trainings that earlier runs published.

    Raises:
      ConfigError: an override is wrong, or changes what is compiled into the file; no data file is
        found; the image lacks a package for `exports`; the serving directory cannot be read or
        written; the engine does not answer; or the predictions after the push could not be written.
    """
    parameters = executor_input["inputs"]["parameterValues"]
    overrides = read_assignments(parameters)
    compiled = decode_parameter(parameters["config"])
    config = apply_overrides(compiled, overrides)
    require_export_packages(config.exports)
    target = make_target(config)
    _check_volume(config, target)
    _check_prediction_output(config, target)
    check_engine(config.engine)
    # The compiler refuses an engine without a root.
    check_workers(config, to_path(config.kubeflow.pipeline_root or ""))
    named_version = parameters.get("data-fingerprint", "")
    fingerprint = named_version or compute_input_fingerprint(config.data)
    raw = _compile_with_served(config, fingerprint)
    if _compute_digest(config, raw) != parameters["graph"]:
        raise _explain_changed_graph(compiled, overrides, parameters["graph"])
    backups = Path(target.backup_directory)
    sweep_backups(backups, list_published(backups))
    properties = read_constants(raw)
    properties[Node.EXAMPLE_GEN] |= {FINGERPRINT: fingerprint, CHECKED: not named_version}
    texts = {
        task_name(node): encode_parameter(json.dumps(p, sort_keys=True))
        for node, p in properties.items()
    }
    for name, output in executor_input["outputs"]["parameters"].items():
        write_output(Path(output["outputFile"]), texts[name])
    print(f"Prepared {len(texts)} tasks of {config.name}, data {fingerprint}.")
    return _describe_result(config, fingerprint, texts)


def _describe_result(config: Config, fingerprint: str, texts: Mapping[str, str]) -> Result:
    """Returns what the page of the run shows, and the digests by which it finds cached tasks."""
    digests = {name: digest_properties(text) for name, text in texts.items()}
    return Result(
        outcome={
            "properties": digests,
            "fingerprint": fingerprint,
            "data_files": to_json(list_data_files(config)),
        }
    )


def _check_volume(config: Config, target: Target) -> None:
    """Raises ConfigError unless the volume and the store of served models are in order.

    The last tasks write the model there. A failure at that point would waste hours of work.
    """
    serving, store = Path(target.serving_directory), _find_store(config)
    if not store:
        refuse_foreign(serving)
    try:
        check_serving(serving)
        make_writable(Path(target.backup_directory), "kubeflow.storage")
    except UnwritableError as error:
        if not error.is_forbidden:
            raise
        # Another directory of a volume that belongs to root would not help.
        raise ConfigError(
            error.message,
            f"the task runs as user {os.getuid()}: let this user write to the volume, as the Job "
            "in deploy/kubernetes/volume.yaml does",
        ) from None
    if store:
        check_serving_store(serving, store)
    with lock_serving(target.serving_directory):
        refuse_lost_pointer(target.serving_directory)


def _check_prediction_output(config: Config, target: Target) -> None:
    """Raises ConfigError if BatchPredictor would refuse its directory, if it can be seen here."""
    if config.prediction is None:
        return
    output = config.prediction.output
    if not is_store_address(output) and not is_on_volume(config, PREPARE, output):
        return
    serving = Path(target.serving_directory)
    home = Path(target.backup_directory).parent
    check_predictions(Workspace(home, serving, _find_store(config)), output)


def _find_store(config: Config) -> str:
    """Returns the address of the serving directory on an object store; empty without one."""
    directory = config.serving.directory or ""
    return directory if is_store_address(directory) else ""


def _compile_with_served(config: Config, fingerprint: str) -> Spec:
    """Returns TFX's specification with the served models resolved for data of `fingerprint`."""
    serving = make_target(config).serving_directory
    resolved = resolve_served_model(config, serving, fingerprint)
    withdrawal = resolve_withdrawal(config, serving, fingerprint)
    target = make_target(config, resolved, withdrawal)
    split = resolve_split(config, serving, fingerprint)
    return compile_with_tfx(config, replace(target, reference_split=split))


def _compute_digest(config: Config, raw: Spec) -> str:
    compiled = adapt_to_kubeflow(raw, config)
    return compute_graph_digest(compiled.spec, compiled.platform)


def _explain_changed_graph(compiled: str, overrides: Sequence[str], expected: str) -> ConfigError:
    """Returns an error that names the overrides that change the compiled graph.

    The file fixes tasks, images and resources. Overrides may change only execution properties.
    """

    def is_changed_by(*assignments: str) -> bool:
        config = override(compiled, assignments)
        return _compute_digest(config, compile_with_tfx(config, make_target(config))) != expected

    if is_changed_by():
        return ConfigError(
            "the pipeline was compiled with other code than this image holds",
            "compile again with the code of the image",
        )
    culprits = [line for line in overrides if is_changed_by(line)] or overrides
    keys = ", ".join(culprit.partition("=")[0] for culprit in culprits)
    return ConfigError(
        f"overrides: {keys}: changes tasks or their containers, which are compiled in",
        f"compile again with --set {' --set '.join(culprits)}",
    )
