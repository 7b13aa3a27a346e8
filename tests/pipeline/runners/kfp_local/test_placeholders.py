"""Command lines as Kubeflow's launcher fills them in."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.runners.kfp_local.placeholders import fill_in_placeholders

EXECUTOR_INPUT = {
    "inputs": {
        "parameterValues": {"rate": 0.5, "steps": 3.0, "deep": {"a": [1]}, "on": True},
        "artifacts": {"table": {"artifacts": [{"name": "7", "uri": "gs://b/t"}]}},
    },
    "outputs": {
        "artifacts": {"model": {"artifacts": [{"name": "model", "uri": "minio://b/m"}]}},
        "parameters": {"size": {"outputFile": "/tmp/kfp/outputs/size"}},
        "outputFile": "/tmp/out.json",
    },
}


def test_each_kind_of_placeholder_is_filled_in() -> None:
    """Reason 7: paths are those of the staging directories."""
    command = [
        "{{$.inputs.parameters['rate']}} {{$.inputs.parameters['steps']}}",
        "{{$.inputs.parameters['deep']}} {{$.inputs.parameters['on']}}",
        "{{$.inputs.artifacts['table'].uri}} {{$.inputs.artifacts['table'].path}}",
        "--model={{$.outputs.artifacts['model'].path}}",
        "{{$.outputs.parameters['size'].output_file}}",
        "{{$.unknown}}",
    ]
    assert fill_in_placeholders(command, EXECUTOR_INPUT, Path("/")) == [
        "0.5 3",
        '{"a":[1]} true',
        "gs://b/t /gcs/b/t",
        "--model=/minio/b/m",
        "/tmp/kfp/outputs/size",
        "{{$.unknown}}",
    ]


def test_the_whole_input_is_one_argument() -> None:
    [argument] = fill_in_placeholders(["{{$}}"], EXECUTOR_INPUT, Path("/"))
    assert json.loads(argument) == EXECUTOR_INPUT
