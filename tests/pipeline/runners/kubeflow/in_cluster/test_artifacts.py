"""TFX artifacts from Kubeflow's JSON, and back."""

from typing import Any

from pipeline.runners.kubeflow.in_cluster.artifacts import read_artifacts, write_artifact

EXAMPLES = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}


def read_one(**fields: Any) -> Any:
    [artifact] = read_artifacts({"a": {"artifacts": [{"uri": "/s3/b/x", **fields}]}})["a"]
    return artifact


def test_metadata_survives_a_round_trip_through_kubeflow() -> None:
    metadata = {
        "span": 2.0,
        "split_names": '["train"]',
        "blessed": 1.0,
        "rows": "{}",
        "custom:version": 1.0,
        "display_name": "examples",
    }
    artifact = read_one(name="7", type=EXAMPLES, metadata=metadata)
    assert (artifact.type_name, artifact.span, artifact.split_names) == (
        "Examples", 2, '["train"]',
    )  # fmt: skip
    assert artifact.get_int_custom_property("blessed") == 1
    assert artifact.get_string_custom_property("rows") == "{}"
    # Values that an executor sets replace the values read.
    artifact.set_string_custom_property("rows", "new")
    artifact.set_int_custom_property("blessed", 0)
    written = write_artifact(artifact)
    assert written["uri"] == "/s3/b/x"
    assert written["metadata"].pop("tfx_version")
    assert written["metadata"] == {**metadata, "rows": "new", "blessed": 0}


def test_artifact_types_of_the_project_are_found_by_their_titles() -> None:
    """Reason 5, for the types that TFX does not know."""
    kind = {"instanceSchema": "title: components.DataFindings\ntype: object\n"}
    assert read_one(type=kind).type_name == "components.DataFindings"
