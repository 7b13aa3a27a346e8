"""Command lines as Kubeflow's launcher fills them in."""

import json
from pathlib import Path

import pytest

from pipeline.core.errors import PipelineError
from pipeline.runners.kfp_local.placeholders import fill_in_placeholders
from pipeline.runners.kfp_local.values import check_input, parse_output

GIVEN = {
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
    assert fill_in_placeholders(command, GIVEN, Path("/")) == [
        "0.5 3",
        '{"a":[1]} true',
        "gs://b/t /gcs/b/t",
        "--model=/minio/b/m",
        "/tmp/kfp/outputs/size",
        "{{$.unknown}}",
    ]


def test_the_whole_input_is_one_argument() -> None:
    [argument] = fill_in_placeholders(["{{$}}"], GIVEN, Path("/"))
    assert json.loads(argument) == GIVEN


def test_only_text_is_made_of_other_types() -> None:
    assert check_input("x", "STRING", 3.0) == "3"
    assert check_input("x", "NUMBER_DOUBLE", 3) == 3
    for kind, value in (("NUMBER_INTEGER", True), ("BOOLEAN", 1), ("LIST", "[]")):
        with pytest.raises(PipelineError, match="input parameter x"):
            check_input("x", kind, value)


def test_output_parameters_are_read_by_their_types() -> None:
    assert parse_output(" 3\n", "STRING") == " 3\n"
    assert parse_output(" 3\n", "NUMBER_INTEGER") == 3
    with pytest.raises(ValueError, match="Expecting value"):
        parse_output("three", "NUMBER_INTEGER")
