"""The whole Transform component, on files of which one is empty."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tiny_run import (
    custom_config,
    examples_artifact,
    run_transform,
    write_parquet,
    write_schema,
    write_tfrecord,
)

from components.transform import examples
from pipeline.core.contracts import Property

_TYPES = {"category": "string", "row": "int", "label": "string"}
_FEATURES = {
    "category": "categorical",
    "row": {"kind": "bucketized", "boundaries": list(range(1, 20))},
}
_LABEL = {"column": "label", "task": "binary", "classes": ["no", "yes"]}


@pytest.mark.slow
@pytest.mark.parametrize("parquet", [True, False])
def test_each_file_becomes_a_parquet_file_with_its_rows_in_order(
    parquet: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examples, "_PIECE_ROWS", 3)
    numbers = [list(range(7)), [], list(range(7, 20))]
    for split in ("train", "eval"):
        for part, rows in enumerate(numbers):
            path = tmp_path / f"examples/Split-{split}/data-{part:05d}-of-00003"
            table = {
                "category": ["common" if row % 2 else None for row in rows],
                "row": rows,
                "label": ["yes"] * len(rows),
            }
            if parquet:
                write_parquet(path.with_suffix(".parquet"), table, _TYPES)
            else:
                write_tfrecord(path.with_suffix(".gz"), table, _TYPES)
    write_schema(tmp_path / "schema/schema.pbtxt", _TYPES)
    raw = examples_artifact(tmp_path / "examples", ["train", "eval"], parquet)
    run_transform(tmp_path, raw, custom_config(_FEATURES, _LABEL))

    for split in ("train", "eval"):
        files = sorted(Path(tmp_path, "transformed", f"Split-{split}").iterdir())
        tables = [pq.read_table(file) for file in files]
        assert [len(table) for table in tables] == [7, 0, 13]
        whole = pa.concat_tables(tables).to_pydict()
        # Buckets and vocabularies count from 1; 0 is a missing value.
        assert whole["row"] == [[row + 1] for row in range(20)]
        assert whole["category"] == [[row % 2] for row in range(20)]


@pytest.mark.slow
def test_the_graph_says_how_many_values_count_as_missing(tmp_path: Path) -> None:
    types = {"price": "string", "label": "string"}
    table = {"price": ["1.5", "2.5", "4 kg", None, "7"], "label": ["yes", "no", "yes", "no", "yes"]}
    for split in ("train", "eval"):
        path = tmp_path / f"examples/Split-{split}/data-00000-of-00001.parquet"
        write_parquet(path, table, types)
    write_schema(tmp_path / "schema/schema.pbtxt", types)
    raw = examples_artifact(tmp_path / "examples", ["train", "eval"], parquet=True)
    features = {"price": {"kind": "numeric", "max_unreadable": 0.5}}
    graph = run_transform(tmp_path, raw, custom_config(features, _LABEL))
    assert graph.get_string_custom_property(Property.NOTE) == (
        "column 'price': 1 of 4 texts in split train cannot be read as a number: these values "
        "count as missing"
    )
