"""A table in files has one type per column, or says which cell contradicts it."""

import pyarrow as pa
import pytest

from components.tables.readers import iter_blocks
from components.tables.typed_table import (
    ContradictedTypeError,
    TypedTable,
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
