"""Common rows are exactly the rows whose cells are equal, each used once."""

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.runners.comparing.common_rows import match_rows, read_cells

ROWS = st.lists(
    st.tuples(st.sampled_from([None, 0.0, 1.0, 2.5]), st.sampled_from([None, "", "a", "ä"])),
    max_size=30,
)
KINDS = pa.schema({"x": pa.float64(), "s": pa.string()})


def table(rows: list[tuple[object, object]]) -> pa.Table:
    return pa.Table.from_pylist([{"x": x, "s": s} for x, s in rows], KINDS)


@given(ROWS, ROWS)
def test_rows_are_matched_by_their_cells(
    before: list[tuple[object, object]], after: list[tuple[object, object]]
) -> None:
    pairs = match_rows(table(before), table(after))
    assert [before[i] for i in pairs.before] == [after[i] for i in pairs.after]
    assert len(pairs.after) == sum((Counter(before) & Counter(after)).values())
    assert len({*pairs.before}) == len({*pairs.after}) == len(pairs.after)
    assert list(pairs.after) == sorted(pairs.after)


def test_columns_of_one_table_alone_do_not_count() -> None:
    before = table([(1.0, "a"), (2.5, "b")]).append_column("gone", pa.array([1.0, 2.0]))
    after = table([(2.5, "b"), (1.0, "a")]).append_column("new", pa.array(["x", "y"]))
    pairs = match_rows(before, after)
    assert pairs.columns == ("x", "s")
    assert list(pairs.before) == [1, 0]
    texts = table([]).select(["s"]).rename_columns(["x"])
    assert match_rows(before, texts).columns == ()
    assert len(match_rows(before, texts).after) == 0


def write_split(directory: Path, name: str, **columns: pa.Array) -> None:
    place = directory / "Split-test"
    place.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), place / name)


def lists(values: list[list[object] | None], kind: pa.DataType) -> pa.Array:
    return pa.array(values, pa.large_list(kind))


def test_cells_are_read_in_the_order_of_files_and_rows(tmp_path: Path) -> None:
    text = pa.large_binary()
    write_split(
        tmp_path, "data-00001.parquet",
        n=lists([[3]], pa.int64()), s=lists([["ü".encode()]], text), x=lists([[0.5]], pa.float32()),
    )  # fmt: skip
    write_split(
        tmp_path, "data-00000.parquet",
        n=lists([[1], None], pa.int64()), s=lists([[], [b"b"]], text),
        x=lists([None, [2.0]], pa.float32()),
    )  # fmt: skip
    cells = read_cells(str(tmp_path), "test")
    assert cells.to_pydict() == {
        "n": [1.0, None, 3.0],
        "s": [None, "b", "ü"],
        "x": [None, 2.0, 0.5],
    }
    assert read_cells(str(tmp_path), "test", ["s"]).column_names == ["s"]


def test_an_integer_is_the_same_number_as_a_float(tmp_path: Path) -> None:
    for place, kind in (("a", pa.int64()), ("b", pa.float32())):
        (tmp_path / place).mkdir()
        write_split(tmp_path / place, "data.parquet", n=lists([[8], [9]], kind))
    pairs = match_rows(*(read_cells(str(tmp_path / place), "test") for place in "ab"))
    assert np.array_equal(pairs.before, [0, 1])


def test_a_split_of_tfrecord_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Split-test").mkdir()
    (tmp_path / "Split-test" / "data.gz").touch()
    with pytest.raises(FileNotFoundError, match="no Parquet files"):
        read_cells(str(tmp_path), "test")
