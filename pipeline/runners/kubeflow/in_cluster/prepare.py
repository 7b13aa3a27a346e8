"""The first task of every run: what all others are told, as LocalDagRunner's caller computes it.

It alone knows the configuration. It looks at the data and at what is served, wires the DAG once
more, and gives each task its execution properties as one parameter. So Kubeflow's cache, which
compares parameters, runs what changed and nothing else; this task itself is never cached.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from components.served_model.lock import changing
from pipeline.config import Config
from pipeline.config.load import override
from pipeline.core.errors import ConfigError
from pipeline.dag import Target
from pipeline.runners.kubeflow.compiling.compile import adapt_to_kubeflow, compile_with_tfx
from pipeline.runners.kubeflow.compiling.compiled_pipeline import compute_graph_digest
from pipeline.runners.kubeflow.compiling.execution_properties import read_constants
from pipeline.runners.kubeflow.compiling.parameter_encoding import (
    decode_parameter,
    encode_parameter,
)
from pipeline.runners.kubeflow.compiling.spec import Spec
from pipeline.runners.kubeflow.compiling.target import make_target
from pipeline.runners.kubeflow.compiling.task_names import task_name
from pipeline.runners.kubeflow.in_cluster.drivers import CHECKED, FINGERPRINT
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.outputs import write_output
from pipeline.runners.kubeflow.run_overrides import apply_overrides, read_assignments
from pipeline.runners.served_resolution import resolve_served
from pipeline.runners.workspace.backups import marked, sweep_backups
from pipeline.runners.workspace.lock import make_writable
from pipeline.runners.workspace.places import check_serving
from pipeline.sources import input_fingerprint

_SOURCE = "ExampleGen"


def run_prepare(executor_input: Json) -> None:
    """Writes the properties of each node to the file that Kubeflow names for it.

    Removes the backups of trainings that earlier runs have published.

    Raises:
      ConfigError: an override is wrong, or changes what is compiled into the file; the data
        cannot be found; or what is served cannot be read or written.
    """
    given = executor_input["inputs"]["parameterValues"]
    overrides = read_assignments(given)
    compiled = decode_parameter(given["config"])
    config = apply_overrides(compiled, overrides)
    _check_volume(make_target(config))
    known = given.get("data-fingerprint", "")
    fingerprint = known or input_fingerprint(config.data)
    raw = _compile_with_served(config, fingerprint)
    if _compute_digest(config, raw) != given["graph"]:
        raise _explain_changed_graph(compiled, overrides, given["graph"])
    backups = Path(make_target(config).backup_directory)
    sweep_backups(backups, marked(backups))
    properties = read_constants(raw)
    properties[_SOURCE] |= {FINGERPRINT: fingerprint, CHECKED: not known}
    texts = {
        task_name(node): encode_parameter(json.dumps(p, sort_keys=True))
        for node, p in properties.items()
    }
    for name, output in executor_input["outputs"]["parameters"].items():
        write_output(Path(output["outputFile"]), texts[name])
    print(f"Prepared {len(texts)} tasks of {config.name}, data {fingerprint}.")


def _check_volume(target: Target) -> None:
    """What the last tasks write can be written: after hours of work, it would be lost."""
    check_serving(Path(target.serving_directory))
    with changing(target.serving_directory):
        pass
    make_writable(Path(target.backup_directory), "kubeflow.storage")


def _compile_with_served(config: Config, fingerprint: str) -> Spec:
    """The pipeline with what is served, as far as data with `fingerprint` are concerned."""
    serving = make_target(config).serving_directory
    return compile_with_tfx(
        config, make_target(config, resolve_served(config, serving, fingerprint))
    )


def _compute_digest(config: Config, raw: Spec) -> str:
    compiled = adapt_to_kubeflow(raw, config)
    return compute_graph_digest(compiled.spec, compiled.platform)


def _explain_changed_graph(compiled: str, overrides: Sequence[str], expected: str) -> ConfigError:
    """Tasks, images and resources are compiled in; overrides only change what tasks are told."""

    def changes(*chosen: str) -> bool:
        config = override(compiled, chosen)
        return _compute_digest(config, compile_with_tfx(config, make_target(config))) != expected

    if changes():
        return ConfigError(
            "the pipeline was compiled with other code than this image holds",
            "compile it anew, with the code of the image",
        )
    guilty = [one for one in overrides if changes(one)] or overrides
    keys = ", ".join(one.partition("=")[0] for one in guilty)
    return ConfigError(
        f"overrides: {keys}: changes tasks or their containers, which are compiled in",
        f"compile anew with --set {' --set '.join(guilty)}",
    )
