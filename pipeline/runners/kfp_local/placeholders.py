"""The placeholders in a container's command line, filled in as Kubeflow's launcher does it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pipeline.runners.kfp_local.bucket import staged_path
from pipeline.runners.kfp_local.spec import Json
from pipeline.runners.kfp_local.values import to_text


def fill_in_placeholders(command: list[str], executor_input: Json, staging: Path) -> list[str]:
    """The command line for one execution.

    First the whole ExecutorInput, then its parts: also where they stand inside of it, so that text
    in a parameter which looks like a placeholder is one.
    """
    whole = json.dumps(executor_input, ensure_ascii=False)
    parts = dict(_parts(executor_input, staging))
    filled = []
    for argument in command:
        text = argument.replace("{{$}}", whole)
        for placeholder, value in parts.items():
            text = text.replace(placeholder, value)
        filled.append(text)
    return filled


def _parts(executor_input: Json, staging: Path) -> Iterator[tuple[str, str]]:
    for side in ("inputs", "outputs"):
        for name, given in executor_input[side]["artifacts"].items():
            uri = given["artifacts"][0]["uri"]
            yield f"{{{{$.{side}.artifacts['{name}'].uri}}}}", uri
            yield f"{{{{$.{side}.artifacts['{name}'].path}}}}", str(staged_path(uri, staging))
    for name, value in executor_input["inputs"]["parameterValues"].items():
        yield f"{{{{$.inputs.parameters['{name}']}}}}", to_text(value)
    for name, given in executor_input["outputs"]["parameters"].items():
        yield f"{{{{$.outputs.parameters['{name}'].output_file}}}}", given["outputFile"]
