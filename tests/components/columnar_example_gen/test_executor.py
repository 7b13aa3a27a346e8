"""The executor writes the splits and describes them on the artifact."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tfx.components.example_gen import utils
from tfx.types import standard_artifacts, standard_component_specs
from tfx.utils import proto_utils

from components.columnar_example_gen.exec_properties import pack_config
from components.columnar_example_gen.executor import ColumnarExecutor
from components.columnar_example_gen.ingest_config import IngestConfig
from components.tables.fingerprint import compute_fingerprint
from pipeline.config import DataConfig, LabelConfig
from pipeline.core.errors import DataError

LABEL = LabelConfig(column="y", task="binary", classes=("no", "yes"), max_missing=0.5)
ENGINE = (
    "--runner=PortableRunner",
    "--job_endpoint=embed",
    "--environment_type=LOOPBACK",
    "--sdk_container_image=none",
)
"""Beam's own job server in this process: a runner that no local path takes for itself."""
TABLE = "n,y\n" + "".join(f"{i},{'yes' if i % 2 else 'no'}\n" for i in range(100)) + "100,\n"


def _read(path: Path) -> DataConfig:
    source = "parquet" if path.suffix == ".parquet" else "csv"
    return DataConfig(source=source, path=(str(path),))


def execute(
    path: Path, uri: Path, fingerprint: str, flags: Sequence[str] = ()
) -> standard_artifacts.Examples:
    config = IngestConfig(_read(path), LABEL, {"y": "string"})
    examples = standard_artifacts.Examples()
    examples.uri = str(uri)
    properties = {
        standard_component_specs.CUSTOM_CONFIG_KEY: proto_utils.proto_to_json(pack_config(config)),
        utils.SPAN_PROPERTY_NAME: 0,
        utils.FINGERPRINT_PROPERTY_NAME: fingerprint,
    }
    outputs = {standard_component_specs.EXAMPLES_KEY: [examples]}
    context = ColumnarExecutor.Context(beam_pipeline_args=list(flags))
    ColumnarExecutor(context).Do({}, outputs, properties)
    return examples


def test_the_artifact_has_the_rows_of_each_split_and_a_note_on_rows_left_out(tmp_path, write):
    path = write("t.csv", TABLE)
    examples = execute(path, tmp_path / "examples", compute_fingerprint([path]))
    rows = json.loads(examples.get_string_custom_property("rows"))
    assert sum(rows.values()) == 100
    assert examples.get_int_custom_property("rows_without_label") == 1
    assert examples.get_string_custom_property("note") == "1 row without a label left out"
    assert {p.name for p in (tmp_path / "examples").iterdir()} == {f"Split-{s}" for s in rows}


def test_files_that_changed_after_the_driver_read_them_are_refused(tmp_path, write):
    path = write("t.csv", TABLE)
    with pytest.raises(DataError, match="the files were changed while they were read"):
        execute(path, tmp_path / "examples", "fingerprint of earlier content")


def test_the_note_names_columns_that_hold_no_single_values(tmp_path):
    path = tmp_path / "t.parquet"
    lists = {f"tags{n}": [["a"]] * 100 for n in range(7)}
    pq.write_table(pa.table({"n": range(100), "y": ["no", "yes"] * 50, **lists}), path)
    examples = execute(path, tmp_path / "examples", compute_fingerprint([path]))
    note = examples.get_string_custom_property("note")
    assert note.startswith("left out, not one value a cell: tags0 (list<")
    assert note.endswith("), 2 more")
    assert note.count("list<") == 5


@pytest.mark.slow
def test_a_runner_that_is_not_local_gets_the_ingest_and_the_examples_stay_the_same(tmp_path, write):
    rows = [f"{i},{'yes' if i % 2 else 'no'}\n" for i in range(400)]
    paths = [write(f"in/{n}.csv", "n,y\n" + "".join(rows[n::2])) for n in range(2)]
    pattern, fingerprint = paths[0].parent / "*.csv", compute_fingerprint(paths)
    here, there = (
        execute(pattern, tmp_path / name, fingerprint, flags)
        for name, flags in (("here", []), ("there", ENGINE))
    )
    assert contents(Path(there.uri)) == contents(Path(here.uri))
    assert there.mlmd_artifact.custom_properties == here.mlmd_artifact.custom_properties
    write("in/1.csv", "n,y\n1\n")
    errors = []
    for name, flags in (("here", []), ("there", ENGINE)):
        with pytest.raises(DataError) as caught:
            execute(pattern, tmp_path / f"{name} again", fingerprint, flags)
        errors.append(caught.value.args)
    assert errors[0] == errors[1]
    assert "expected 2 cells, found 1" in errors[0][0]


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}
