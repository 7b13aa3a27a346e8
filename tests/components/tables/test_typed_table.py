"""A table in files has one type per column, or says which cell contradicts it."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables.readers import iter_blocks
from components.tables.typed_table import (
    ContradictedTypeError,
    TypedTable,
    TypeEvidence,
    collect_evidence,
    guess_types,
    infer_types,
)
from pipeline.config import DataConfig
from pipeline.core.errors import DataError


def test_columns_are_sorted_and_have_configured_and_inferred_types(write):
    path = write("t.csv", "c,b,a\n1,1,x\n,2.5,y\n")
    data = DataConfig(path=(str(path),))
    table = TypedTable([path], data, {"c": "float"}, infer_types([path], data, ["a", "b"]))
    (block,) = table.blocks()
    assert block.batch.schema == pa.schema({"a": pa.string(), "b": pa.float32(), "c": pa.float32()})
    assert block.batch.to_pylist() == [
        {"a": "x", "b": 1.0, "c": 1.0},
        {"a": "y", "b": 2.5, "c": None},
    ]
    (narrow,) = table.blocks(["b"])
    assert narrow.batch.schema.names == ["b"]


def test_a_wider_cell_in_a_later_file_contradicts_the_guess_and_widens_the_inferred_type(write):
    paths = [write("1.csv", "a\n1\n"), write("2.csv", "a\n2.5\n")]
    data = DataConfig(path=tuple(map(str, paths)))
    guess = guess_types(next(iter_blocks(paths, data)), data, ["a"])
    assert guess == {"a": "int"}
    with pytest.raises(ContradictedTypeError):
        list(TypedTable(paths, data, {}, guess).blocks())
    assert infer_types(paths, data, ["a"]) == {"a": "float"}


@pytest.mark.parametrize(
    ("cell", "wanted", "fault"),
    [("x", "int", "'x' is not an integer of 64 bits"), ("1e39", "float", "'1e39' is infinite")],
)
def test_a_cell_that_contradicts_the_configured_type_is_named_by_its_line(
    write, cell, wanted, fault
):
    path = write("t.csv", f"a,b\n1,1\n{cell},2\n")
    table = TypedTable([path], DataConfig(path=(str(path),)), {"a": wanted}, {})
    with pytest.raises(DataError, match=rf"t\.csv:3: column 'a': {fault}") as caught:
        list(table.blocks())
    assert "data.csv.missing" in caught.value.hint


IDS = [16777216.0, 16777217.0, None]


@pytest.mark.parametrize("kind", [pa.float64(), pa.decimal128(12, 2), pa.int64()])
def test_whole_numbers_beyond_float32_stay_apart_in_parquet(tmp_path, kind):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"id": pa.array(IDS, pa.float64()).cast(kind)}), path)
    data = DataConfig(source="parquet", path=(str(path),))
    (block,) = TypedTable([path], data, {}, infer_types([path], data, ["id"])).blocks()
    assert block.batch.column(0).equals(pa.array([16777216, 16777217, None], pa.int64()))


@pytest.mark.parametrize(
    ("first", "second", "expected", "type_"),
    [
        ("8.0\n", "16777217.0\n", [8, 16777217], "int"),
        ("16777217\n", "8.0\n", [16777217, 8], "int"),
        ("8.0\n", "9.0\n", [8.0, 9.0], "float"),
        ("8.0\n0.5\n", "16777216.0\n", [8.0, 0.5, 16777216.0], "float"),
        ("16777217.0\n", "0.5\n", [16777216.0, 0.5], "float"),
    ],
)
def test_whole_numbers_with_a_decimal_point_are_integers_where_float32_would_merge_them(
    write, first, second, expected, type_
):
    paths = [write("1.csv", f"id\n{first}"), write("2.csv", f"id\n{second}")]
    data = DataConfig(path=tuple(map(str, paths)))
    try:
        guess = guess_types(next(iter_blocks(paths, data)), data, ["id"])
        blocks = list(TypedTable(paths, data, {}, guess).blocks())
    except ContradictedTypeError:
        blocks = list(TypedTable(paths, data, {}, infer_types(paths, data, ["id"])).blocks())
    cells = [cell for block in blocks for cell in block.batch.column(0).to_pylist()]
    assert cells == expected
    assert TypedTable(paths, data, {}, infer_types(paths, data, ["id"])).types == {"id": type_}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
@pytest.mark.parametrize(
    "cells",
    [
        ("1\n", "2\n", "3\n"),
        ("1\n", "2.5\n", "3\n"),
        ("1\n", "2.5\n", "x\n"),
        ("8.0\n", "\n", "16777217.0\n"),
        ("8.0\n", "16777217\n", "0.5\n"),
        ("\n", "007\n", "1e49\n"),
    ],
)
def test_evidence_of_files_merges_to_the_types_of_the_table(write, cells, order):
    paths = [write(f"{n}.csv", f"id,y\n{text[:-1]},1\n") for n, text in enumerate(cells)]
    data = DataConfig(path=tuple(map(str, paths)))
    parts = []
    for number in order:
        parts.append(TypeEvidence.of_columns(["id", "y"]))
        collect_evidence([paths[number]], data, parts[-1])
    merged = parts[0].merge(parts[1]).merge(parts[2])
    assert merged.conclude() == infer_types(paths, data, ["id", "y"])
