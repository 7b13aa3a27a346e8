"""TFX's artifacts and drivers on Kubeflow: what goes in, what a component finds, what comes out."""

from pathlib import Path
from typing import Any

import pytest
from tfx.types import standard_artifacts

from components.columnar_example_gen.exec_properties import pack
from components.columnar_example_gen.ingest_config import IngestConfig
from components.served_model.keys import fingerprint_of
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError
from pipeline.runners.kubeflow.in_cluster.artifacts import read_artifacts, write_artifact
from pipeline.runners.kubeflow.in_cluster.drivers import CHECKED, FINGERPRINT, run_driver

EXAMPLES = {"instanceSchema": "title: tfx.Examples\ntype: object\n"}
COLUMNAR = "components.columnar_example_gen.executor.ColumnarExecutor"


def one(**given: Any) -> Any:
    [artifact] = read_artifacts({"a": {"artifacts": [{"uri": "/s3/b/x", **given}]}})["a"]
    return artifact


def test_metadata_survives_the_way_through_kubeflow() -> None:
    metadata = {
        "span": 2.0,
        "split_names": '["train"]',
        "blessed": 1.0,
        "rows": "{}",
        "custom:version": 1.0,
        "display_name": "examples",
    }
    artifact = one(name="7", type=EXAMPLES, metadata=metadata)
    assert (artifact.type_name, artifact.span, artifact.split_names) == (
        "Examples", 2, '["train"]',
    )  # fmt: skip
    assert artifact.get_int_custom_property("blessed") == 1
    assert artifact.get_string_custom_property("rows") == "{}"
    # What an executor sets counts.
    artifact.set_string_custom_property("rows", "new")
    artifact.set_int_custom_property("blessed", 0)
    written = write_artifact(artifact)
    assert written["uri"] == "/s3/b/x"
    assert written["metadata"].pop("tfx_version")
    assert written["metadata"] == {**metadata, "rows": "new", "blessed": 0}


def test_types_of_ones_own_are_found_by_their_titles() -> None:
    """Reason 5, for the types that TFX does not know."""
    kind = {"instanceSchema": "title: components.DataFindings\ntype: object\n"}
    assert one(type=kind).type_name == "components.DataFindings"


def example_gen(path: Path, prepared: str, checked: bool = True) -> tuple[dict[str, Any], Any]:
    data = DataConfig(path=(str(path),))
    label = LabelConfig(column="y", task="regression")
    from tfx.utils import proto_utils

    packed = proto_utils.proto_to_json(pack(IngestConfig(data, label, {})))
    properties = {"custom_config": packed, FINGERPRINT: prepared, CHECKED: checked}
    return properties, {"examples": [one(type=EXAMPLES)]}


def test_the_driver_of_example_gen_is_run_and_holds_the_data_to_what_was_prepared(
    tmp_path: Path,
) -> None:
    """Reason 8: Kubeflow never runs it."""
    table = tmp_path / "table.csv"
    table.write_text("x,y\n1,2\n")
    properties, outputs = example_gen(table, "version-7", checked=False)
    with run_driver(COLUMNAR, properties, outputs):
        fingerprint = properties["input_fingerprint"]
        assert properties["span"] == 0
    # The run knows the data by the name it was given.
    assert outputs["examples"][0].get_string_custom_property("input_fingerprint") == "version-7"
    properties, outputs = example_gen(table, fingerprint)
    with run_driver(COLUMNAR, properties, outputs):
        table.write_text("x,y\n1,3\n")
    assert outputs["examples"][0].get_string_custom_property("input_fingerprint") == fingerprint
    properties, outputs = example_gen(table, fingerprint)
    refused = pytest.raises(DataError, match="changed after the run had begun")
    with refused, run_driver(COLUMNAR, properties, outputs):
        pass


def test_the_answer_of_a_query_is_marked_with_its_run() -> None:
    """Its Examples have no fingerprint of their own, and all would be taken for the same."""
    examples = standard_artifacts.Examples()
    properties = {"query": "SELECT 1", FINGERPRINT: "run-1", CHECKED: True}
    with run_driver("some.query.Executor", properties, {"examples": [examples]}):
        assert properties == {"query": "SELECT 1"}
    assert fingerprint_of(examples) == "run-1"


def test_other_components_have_no_driver() -> None:
    properties = {"x": 1}
    with run_driver("a.B", properties, {}):
        assert properties == {"x": 1}
