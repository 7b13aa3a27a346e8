"""Repairs of what open-source Kubeflow passes to a task, in the form that TFX expects."""

from __future__ import annotations

import copy
import json

import pytest

from pipeline.runners.kubeflow.compiling.parameter_encoding import encode_parameter
from pipeline.runners.kubeflow.in_cluster.invocation import (
    Flags,
    fill_in_input_types,
    read_properties,
    replace_uris_by_paths,
    split_off_kubeflow_outputs,
)

EXAMPLES = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}
EXECUTOR_INPUT = {
    "inputs": {
        "parameterValues": {"properties": '{"steps": 3, "rate": 0.5, "surroundings": "c0de"}'},
        "artifacts": {
            "examples": {
                "artifacts": [
                    {
                        "name": "7",
                        "type": {"instanceSchema": ""},
                        "uri": "minio://bucket/run/examples",
                        "metadata": {"made_from": "minio://bucket/table", "rows": 3.0},
                    }
                ]
            }
        },
    },
    "outputs": {
        "artifacts": {
            "model": {"artifacts": [{"uri": "s3://b/model", "type": EXAMPLES}]},
            "report": {
                "artifacts": [{"uri": "s3://b/report", "type": {"schemaTitle": "system.Markdown"}}]
            },
            "executor-logs": {
                "artifacts": [{"uri": "s3://b/logs", "type": {"schemaTitle": "system.Artifact"}}]
            },
        },
        "outputFile": "/tmp/kfp_outputs/output_metadata.json",
    },
}
INPUTS_SPEC = {"artifacts": {"examples": {"artifactType": EXAMPLES}}}


@pytest.fixture(autouse=True)
def input_is_unchanged() -> object:
    before = copy.deepcopy(EXECUTOR_INPUT)
    yield
    assert before == EXECUTOR_INPUT


def test_input_types_come_from_the_compiled_component() -> None:
    """Reason 5: 'NoneType' object has no attribute 'get'."""
    typed = fill_in_input_types(EXECUTOR_INPUT, INPUTS_SPEC)
    assert typed["inputs"]["artifacts"]["examples"]["artifacts"][0]["type"] == EXAMPLES


def test_outputs_of_kubeflow_are_split_off() -> None:
    """Reason 6: Could not import system.Artifact."""
    reduced, others = split_off_kubeflow_outputs(EXECUTOR_INPUT)
    assert set(reduced["outputs"]["artifacts"]) == {"model"}
    assert set(others) == {"report", "executor-logs"}


@pytest.mark.parametrize("root", ["", "/elsewhere"])
def test_artifacts_have_staged_paths_in_place_of_uris(
    monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    """Reason 7."""
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", root)
    examples = replace_uris_by_paths(EXECUTOR_INPUT)["inputs"]["artifacts"]["examples"][
        "artifacts"
    ][0]
    assert examples["uri"] == f"{root}/minio/bucket/run/examples"
    assert examples["metadata"] == {"made_from": f"{root}/minio/bucket/table", "rows": 3.0}


def test_properties_keep_their_types_and_lose_the_cache_property() -> None:
    assert repr(read_properties(EXECUTOR_INPUT)) == "{'steps': 3, 'rate': 0.5}"


def test_properties_of_a_wide_table_fit_on_a_command_line() -> None:
    """Linux refuses an argument above 128 KB, and the parameters are JSON inside JSON."""
    features = {f"column_{i}": {"kind": "numeric", "scale": "log"} for i in range(4000)}
    properties = {"custom_config": json.dumps({"features": json.dumps(features)})}
    parameters = {"properties": encode_parameter(json.dumps(properties))}
    given = {"inputs": {"parameterValues": parameters}}
    assert len(json.dumps(given)) < 64_000
    assert read_properties(given) == properties


def test_flags_of_tfx_are_separated_from_beam_flags() -> None:
    flags = Flags.parse(
        ["--executor_class_path", "a.B", "--json_serialized_inputs_spec_args", "{}", "--runner=x"]
    )
    assert (flags.executor_class, flags.inputs_spec, flags.extra) == ("a.B", {}, ["--runner=x"])
