"""What open-source Kubeflow hands to a task, and what TFX's components need of it."""

import copy
import json
from pathlib import Path

import pytest

from pipeline.runners.kubeflow.compiling.parameter_encoding import (
    decode_parameter,
    encode_parameter,
)
from pipeline.runners.kubeflow.in_cluster.invocation import (
    Flags,
    fill_in_input_types,
    read_properties,
    replace_uris_by_paths,
    split_off_kubeflow_outputs,
)
from pipeline.runners.kubeflow.in_cluster.outputs import write_executor_output
from pipeline.runners.kubeflow.in_cluster.uris import to_path, to_uri

EXAMPLES = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}
GIVEN = {
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
SPEC = {"artifacts": {"examples": {"artifactType": EXAMPLES}}}


@pytest.fixture(autouse=True)
def unchanged() -> object:
    before = copy.deepcopy(GIVEN)
    yield
    assert before == GIVEN


def test_types_of_inputs_come_from_the_compiled_component() -> None:
    """Reason 5: 'NoneType' object has no attribute 'get'."""
    typed = fill_in_input_types(GIVEN, SPEC)
    assert typed["inputs"]["artifacts"]["examples"]["artifacts"][0]["type"] == EXAMPLES


def test_outputs_that_are_kubeflows_own_are_kept_from_tfx() -> None:
    """Reason 6: Could not import system.Artifact."""
    reduced, others = split_off_kubeflow_outputs(GIVEN)
    assert set(reduced["outputs"]["artifacts"]) == {"model"}
    assert set(others) == {"report", "executor-logs"}


@pytest.mark.parametrize("root", ["", "/elsewhere"])
def test_addresses_become_staged_paths_and_back(monkeypatch: pytest.MonkeyPatch, root: str) -> None:
    """Reason 7: the launcher stages s3:// below /s3, and so on."""
    monkeypatch.setenv("PIPELINE_STAGING_ROOT", root)
    for uri, path in (
        ("s3://b/x", f"{root}/s3/b/x"),
        ("minio://b/x", f"{root}/minio/b/x"),
        ("gs://b/x", f"{root}/gcs/b/x"),
    ):
        assert (to_path(uri), to_uri(path)) == (path, uri)
    for other in ("/data/x", "hdfs://b/x", "/s3x/b", "", "a note about s3://b"):
        assert to_path(other) == to_uri(other) == other
    examples = replace_uris_by_paths(GIVEN)["inputs"]["artifacts"]["examples"]["artifacts"][0]
    assert examples["uri"] == f"{root}/minio/bucket/run/examples"
    assert examples["metadata"] == {"made_from": f"{root}/minio/bucket/table", "rows": 3.0}


def test_properties_keep_their_types_and_the_code_is_for_the_cache_alone() -> None:
    assert repr(read_properties(GIVEN)) == "{'steps': 3, 'rate': 0.5}"


def test_what_a_wide_table_needs_fits_on_a_command_line() -> None:
    """Linux refuses an argument above 128 KB, in which all this is JSON inside of JSON."""
    features = {f"column_{i}": {"kind": "numeric", "scale": "log"} for i in range(4000)}
    properties = {"custom_config": json.dumps({"features": json.dumps(features)})}
    parameters = {"properties": encode_parameter(json.dumps(properties))}
    given = {"inputs": {"parameterValues": parameters}}
    assert len(json.dumps(given)) < 64_000
    assert read_properties(given) == properties
    assert encode_parameter("short") == decode_parameter("short") == "short"
    priced = "classes: $, $$ and $(HOME)"
    assert "$" not in encode_parameter(priced), "Kubernetes would change it"
    assert decode_parameter(encode_parameter(priced)) == priced


def test_flags_of_tfx_are_told_from_those_of_beam() -> None:
    flags = Flags.parse(
        ["--executor_class_path", "a.B", "--json_serialized_inputs_spec_args", "{}", "--runner=x"]
    )
    assert (flags.executor_class, flags.inputs_spec, flags.extra) == ("a.B", {}, ["--runner=x"])


def test_the_launcher_reads_addresses_and_no_nulls(tmp_path: Path) -> None:
    """Reason 9: the file is whole before the process may abort."""
    path = tmp_path / "made/by/us/output_metadata.json"
    made = {"uri": "/s3/b/model", "metadata": {"source": "/gcs/b/t", "version": None, "n": 0}}
    write_executor_output(str(path), {"model": made})
    assert json.loads(path.read_text()) == {
        "artifacts": {
            "model": {
                "artifacts": [{"uri": "s3://b/model", "metadata": {"source": "gs://b/t", "n": 0}}]
            }
        }
    }
    assert list(path.parent.iterdir()) == [path]
