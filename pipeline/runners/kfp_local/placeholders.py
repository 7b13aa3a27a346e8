"""Fills in the placeholders of a container's command line as Kubeflow's launcher does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pipeline.runners.kfp_local.bucket import staged_path
from pipeline.runners.kfp_local.spec import Json
from pipeline.runners.kfp_local.values import to_text


def fill_in_placeholders(command: list[str], executor_input: Json, staging: Path) -> list[str]:
    """Returns the command line of one execution.

    The launcher inserts the whole ExecutorInput first and its parts afterwards. So text inside the
    ExecutorInput that looks like a placeholder is replaced too.
    """
    whole = json.dumps(executor_input, ensure_ascii=False)
    parts = dict(_list_parts(executor_input, staging))
    filled = []
    for argument in command:
        text = argument.replace("{{$}}", whole)
        for placeholder, value in parts.items():
            text = text.replace(placeholder, value)
        filled.append(text)
    return filled


def _list_parts(executor_input: Json, staging: Path) -> Iterator[tuple[str, str]]:
    for side in ("inputs", "outputs"):
        for name, artifacts in executor_input[side]["artifacts"].items():
            uri = artifacts["artifacts"][0]["uri"]
            yield f"{{{{$.{side}.artifacts['{name}'].uri}}}}", uri
            yield f"{{{{$.{side}.artifacts['{name}'].path}}}}", str(staged_path(uri, staging))
    for name, value in executor_input["inputs"]["parameterValues"].items():
        yield f"{{{{$.inputs.parameters['{name}']}}}}", to_text(value)
    for name, output in executor_input["outputs"]["parameters"].items():
        yield f"{{{{$.outputs.parameters['{name}'].output_file}}}}", output["outputFile"]
