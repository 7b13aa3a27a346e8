"""Raw columns as tensors and as lists, with missing values filled in."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from tensorflow_metadata.proto.v0 import schema_pb2

from components.transform.columns import RawColumns, to_table

_COLUMNS = RawColumns({"area": -7, "fare": math.nan, "paid": b"?"})


def table_of(area: list[int | None], fare: list[float | None], paid: list[str | None]) -> pa.Table:
    def lists(cells: list[object], value_type: pa.DataType) -> pa.Array:
        return pa.array([None if c is None else [c] for c in cells], pa.large_list(value_type))

    return pa.table(
        {
            "area": lists(area, pa.int64()),
            "fare": lists(fare, pa.float32()),
            "paid": lists([p if p is None else p.encode() for p in paid], pa.large_binary()),
        }
    )


@pytest.mark.parametrize("start", [0, 1])
def test_missing_values_are_filled_in(start: int) -> None:
    whole = table_of([None, 2, None, 2], [0.5, None, None, 1.0], ["", "a", None, "a"])
    tensors = _COLUMNS.to_tensors(whole.slice(start))
    np.testing.assert_array_equal(tensors["area"], np.array([[-7], [2], [-7], [2]])[start:])
    fares = np.array([[0.5], [math.nan], [math.nan], [1.0]], np.float32)
    np.testing.assert_array_equal(tensors["fare"], fares[start:])
    texts = tensors["paid"].numpy().tolist()
    assert texts == [[b""], [b"a"], [b"?"], [b"a"]][start:]


def test_columns_without_values_and_tables_without_rows_are_converted() -> None:
    nothing = _COLUMNS.to_tensors(table_of([None] * 2, [None] * 2, [None] * 2))
    assert nothing["area"].tolist() == [[-7], [-7]]
    assert nothing["paid"].numpy().tolist() == [[b"?"], [b"?"]]
    empty = _COLUMNS.to_tensors(table_of([], [], []))
    assert [np.shape(tensor) for tensor in empty.values()] == [(0, 1)] * 3


def test_a_batch_for_tfx_holds_lists_in_the_order_of_the_schema() -> None:
    table = table_of([None, 2], [0.5, 1.0], [None, "a"])
    schema = pa.schema([table.schema.field(name) for name in ("paid", "area", "fare")])
    batch = _COLUMNS.to_batch(table, schema)
    assert batch.schema == schema
    assert batch.to_pydict() == {
        "paid": [[b"?"], [b"a"]],
        "area": [[-7], [2]],
        "fare": [[0.5], [1.0]],
    }


def test_a_row_of_several_values_is_refused() -> None:
    cells = pa.array([[1, 2], None], pa.large_list(pa.int64()))
    with pytest.raises(ValueError, match="'area' has rows of several values"):
        RawColumns({"area": 0}).fill_missing(pa.table({"area": cells}))


def test_the_default_value_of_a_representation_stands_for_a_missing_value() -> None:
    representation = schema_pb2.TensorRepresentation()
    representation.dense_tensor.default_value.int_value = 0
    assert RawColumns.from_representations({"area": representation}).missing == {"area": 0}


def test_tensors_become_lists_of_their_width() -> None:
    table = to_table({"wide": tf.constant([[1.0, 2.0], [3.0, 4.0]]), "id": tf.constant([[5], [6]])})
    assert table.to_pydict() == {"id": [[5], [6]], "wide": [[1.0, 2.0], [3.0, 4.0]]}
    assert table.schema.field("wide").type == pa.large_list(pa.float32())
