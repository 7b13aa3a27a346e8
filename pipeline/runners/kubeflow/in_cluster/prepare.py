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
from pipeline.runners.kubeflow.compiling.compile import adapt, raw_spec
from pipeline.runners.kubeflow.compiling.compiled_pipeline import graph_digest
from pipeline.runners.kubeflow.compiling.execution_properties import constants_of
from pipeline.runners.kubeflow.compiling.parameter_encoding import packed, unpacked
from pipeline.runners.kubeflow.compiling.spec import Spec
from pipeline.runners.kubeflow.compiling.target import make_target
from pipeline.runners.kubeflow.compiling.task_names import kebab
from pipeline.runners.kubeflow.in_cluster.drivers import CHECKED, FINGERPRINT
from pipeline.runners.kubeflow.in_cluster.invocation import Json
from pipeline.runners.kubeflow.in_cluster.outputs import write_output
from pipeline.runners.kubeflow.run_overrides import assignments, overridden
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
    overrides = assignments(given)
    compiled = unpacked(given["config"])
    config = overridden(compiled, overrides)
    _check_volume(make_target(config))
    known = given.get("data-fingerprint", "")
    fingerprint = known or input_fingerprint(config.data)
    raw = _raw(config, fingerprint)
    if _digest(config, raw) != given["graph"]:
        raise _another_graph(compiled, overrides, given["graph"])
    backups = Path(make_target(config).backup_directory)
    sweep_backups(backups, marked(backups))
    properties = constants_of(raw)
    properties[_SOURCE] |= {FINGERPRINT: fingerprint, CHECKED: not known}
    texts = {kebab(node): packed(json.dumps(p, sort_keys=True)) for node, p in properties.items()}
    for name, output in executor_input["outputs"]["parameters"].items():
        write_output(Path(output["outputFile"]), texts[name])
    print(f"Prepared {len(texts)} tasks of {config.name}, data {fingerprint}.")


def _check_volume(target: Target) -> None:
    """What the last tasks write can be written: after hours of work, it would be lost."""
    check_serving(Path(target.serving_directory))
    with changing(target.serving_directory):
        pass
    make_writable(Path(target.backup_directory), "kubeflow.storage")


def _raw(config: Config, fingerprint: str) -> Spec:
    """The pipeline with what is served, as far as data with `fingerprint` are concerned."""
    serving = make_target(config).serving_directory
    return raw_spec(config, make_target(config, resolve_served(config, serving, fingerprint)))


def _digest(config: Config, raw: Spec) -> str:
    compiled = adapt(raw, config)
    return graph_digest(compiled.spec, compiled.platform)


def _another_graph(compiled: str, overrides: Sequence[str], expected: str) -> ConfigError:
    """Tasks, images and resources are compiled in; overrides only change what tasks are told."""

    def changes(*chosen: str) -> bool:
        config = override(compiled, chosen)
        return _digest(config, raw_spec(config, make_target(config))) != expected

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
