"""The drivers of ExampleGens, which run inside the task."""

from pathlib import Path
from typing import Any

import pytest
from tfx.types import standard_artifacts

from components.columnar_example_gen.exec_properties import pack_config
from components.columnar_example_gen.ingest_config import IngestConfig
from components.served_model.keys import read_fingerprint
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError
from pipeline.runners.kubeflow.in_cluster.drivers import CHECKED, FINGERPRINT, run_driver

COLUMNAR = "components.columnar_example_gen.executor.ColumnarExecutor"


def make_example_gen(path: Path, prepared: str, checked: bool = True) -> tuple[dict[str, Any], Any]:
    data = DataConfig(path=(str(path),))
    label = LabelConfig(column="y", task="regression")
    from tfx.utils import proto_utils

    packed = proto_utils.proto_to_json(pack_config(IngestConfig(data, label, {})))
    properties = {"custom_config": packed, FINGERPRINT: prepared, CHECKED: checked}
    return properties, {"examples": [standard_artifacts.Examples()]}


def test_driver_marks_the_examples_and_refuses_changed_files(
    tmp_path: Path,
) -> None:
    """Reason 8: Kubeflow never runs the driver."""
    table = tmp_path / "table.csv"
    table.write_text("x,y\n1,2\n")
    properties, outputs = make_example_gen(table, "version-7", checked=False)
    with run_driver(COLUMNAR, properties, outputs):
        fingerprint = properties["input_fingerprint"]
        assert properties["span"] == 0
    # The run identifies its data by the name that the user gave the version.
    assert outputs["examples"][0].get_string_custom_property("input_fingerprint") == "version-7"
    properties, outputs = make_example_gen(table, fingerprint)
    with run_driver(COLUMNAR, properties, outputs):
        table.write_text("x,y\n1,3\n")
    assert outputs["examples"][0].get_string_custom_property("input_fingerprint") == fingerprint
    properties, outputs = make_example_gen(table, fingerprint)
    refused = pytest.raises(DataError, match="changed after the run had begun")
    with refused, run_driver(COLUMNAR, properties, outputs):
        pass


def test_examples_of_a_query_get_the_fingerprint_of_their_run() -> None:
    """Without it, the examples of all queries would look the same."""
    examples = standard_artifacts.Examples()
    properties = {"query": "SELECT 1", FINGERPRINT: "run-1", CHECKED: True}
    with run_driver("some.query.Executor", properties, {"examples": [examples]}):
        assert properties == {"query": "SELECT 1"}
    assert read_fingerprint(examples) == "run-1"


def test_other_components_keep_their_properties() -> None:
    properties = {"x": 1}
    with run_driver("a.B", properties, {}):
        assert properties == {"x": 1}
