"""What the container of each task starts."""

from __future__ import annotations

import json

from pipeline.config.kubernetes.pods import escape_dollars
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, containers_of

ENTRYPOINT = ("python", "-m", "pipeline.runners.kubeflow.entrypoint")
INVOCATION = "{{$}}"
"""Kubeflow puts the task's inputs and outputs here, as JSON."""

_INVOCATION_FLAG = "--json_serialized_invocation_args"
_INPUTS_FLAG = "--json_serialized_inputs_spec_args"


@changes_a_copy
def set_entrypoint(spec: Spec, image: str) -> None:
    """TFX's own entrypoint fails on what the backend hands over, in four ways.

    Types of input artifacts arrive empty, `executor-logs` is an output nobody knows, URIs name a
    store while the files are staged in a directory, and the process aborts after its success.
    """
    for node, container in containers_of(spec):
        container["image"] = image
        container["command"] = list(ENTRYPOINT)
        container["args"] = [node, INVOCATION, *map(escape_dollars, _flags(container["args"]))]


def _flags(args: list[str]) -> list[str]:
    """TFX's own, with what tells the types of the inputs in its shortest form."""
    at = args.index(_INVOCATION_FLAG)
    flags = args[:at] + args[at + 2 :]
    if _INPUTS_FLAG in flags:
        at = flags.index(_INPUTS_FLAG) + 1
        flags[at] = json.dumps(json.loads(flags[at]), sort_keys=True, separators=(",", ":"))
    return flags
