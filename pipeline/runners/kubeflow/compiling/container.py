"""The command line of each task's container."""

from __future__ import annotations

import json

from pipeline.config.kubernetes.pods import escape_dollars
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, containers_of

ENTRYPOINT = ("python", "-m", "pipeline.runners.kubeflow.entrypoint")
INVOCATION = "{{$}}"
"""Kubeflow's placeholder for the ExecutorInput: the task's inputs and outputs as JSON."""

_INVOCATION_FLAG = "--json_serialized_invocation_args"
_INPUTS_FLAG = "--json_serialized_inputs_spec_args"


@changes_a_copy
def set_entrypoint(spec: Spec, image: str) -> None:
    """Replaces TFX's entrypoint by this project's in the container of every task.

    TFX's entrypoint fails on open-source Kubeflow in four ways: input artifacts arrive without
    types, TFX does not know the output `executor-logs`, URIs name a store while the launcher
    stages the files in a directory, and the process may abort after a success.
    """
    for node, container in containers_of(spec):
        container["image"] = image
        container["command"] = list(ENTRYPOINT)
        container["args"] = [node, INVOCATION, *map(escape_dollars, _flags(container["args"]))]


def _flags(args: list[str]) -> list[str]:
    """Returns TFX's flags without the ExecutorInput, and with the inputs' types as compact JSON."""
    at = args.index(_INVOCATION_FLAG)
    flags = args[:at] + args[at + 2 :]
    if _INPUTS_FLAG in flags:
        at = flags.index(_INPUTS_FLAG) + 1
        flags[at] = json.dumps(json.loads(flags[at]), sort_keys=True, separators=(",", ":"))
    return flags
