"""Common rows are exactly the rows whose cells but the label are equal, each used once."""

from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.runners.comparing.common_rows import RowPairs, match_rows, read_cells
from pipeline.runners.comparing.pair import Pair

ROWS = st.lists(
    st.tuples(st.sampled_from([None, 0.0, 1.0, 2.5]), st.sampled_from([None, "b", "a", "ä"])),
    max_size=30,
)
KINDS = pa.schema({"x": pa.float64(), "s": pa.string()})


def table(rows: list[tuple[object, object]]) -> pa.Table:
    return pa.Table.from_pylist([{"x": x, "s": s} for x, s in rows], KINDS)


def match(before: pa.Table, after: pa.Table, *labels: list[int], label: str = "y") -> RowPairs:
    """Matches rows that all have the label 0 unless `labels` are given."""
    given = [np.array(of_run) for of_run in labels] or [
        np.zeros(rows.num_rows, np.int64) for rows in (before, after)
    ]
    return match_rows(Pair(before, after), Pair(*given), label)


@given(ROWS, ROWS)
def test_rows_are_matched_by_their_cells(
    before: list[tuple[object, object]], after: list[tuple[object, object]]
) -> None:
    pairs = match(table(before), table(after))
    assert [before[i] for i in pairs.before] == [after[i] for i in pairs.after]
    assert len(pairs.after) == sum((Counter(before) & Counter(after)).values())
    assert len({*pairs.before}) == len({*pairs.after}) == len(pairs.after)
    assert list(pairs.after) == sorted(pairs.after)
    assert pairs.relabelled == 0


def test_the_same_row_of_another_file_format_is_matched() -> None:
    before = table([(1.0, ""), (2.5, "True"), (0.0, "2026-07-01 14:40:00")])
    after = table([(0.0, "2026-07-01T14:40:00"), (2.5, "true"), (1.0, None)])
    pairs = match(before, after)
    assert (list(pairs.before), list(pairs.after)) == ([2, 1, 0], [0, 1, 2])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=20), st.randoms())
def test_equal_rows_are_matched_as_multisets_with_as_many_equal_labels_as_possible(
    rows: list[tuple[int, int]], random: Random
) -> None:
    others = random.sample(rows, len(rows))
    others = [(x, random.choice([y, 1 - y])) for x, y in others]
    tables = [table([(float(x), "a") for x, _ in side]) for side in (rows, others)]
    labels = [[y for _, y in side] for side in (rows, others)]
    pairs = match(*tables, *labels)
    assert len(pairs.after) == len({*pairs.before}) == len({*pairs.after}) == len(rows)
    differing = [labels[0][i] != labels[1][j] for i, j in zip(pairs.before, pairs.after)]
    assert sum(differing) == pairs.relabelled
    assert pairs.relabelled == sum((Counter(rows) - Counter(others)).values())


def test_a_row_with_a_corrected_label_is_the_same_row() -> None:
    rows = [(1.0, "a"), (2.5, "b"), (2.5, None)]
    before = table(rows).append_column("y", pa.array(["no", "no", "no"]))
    after = table(rows).append_column("y", pa.array(["no", "yes", "no"]))
    pairs = match(before, after, [0, 0, 0], [0, 1, 0])
    assert (pairs.columns, pairs.relabelled) == (("x", "s"), 1)
    assert list(pairs.before) == list(pairs.after) == [0, 1, 2]


def test_columns_of_one_table_alone_do_not_count() -> None:
    before = table([(1.0, "a"), (2.5, "b")]).append_column("gone", pa.array([1.0, 2.0]))
    after = table([(2.5, "b"), (1.0, "a")]).append_column("new", pa.array(["x", "y"]))
    pairs = match(before, after)
    assert pairs.columns == ("x", "s")
    assert list(pairs.before) == [1, 0]
    texts = table([]).select(["s"]).rename_columns(["x"])
    assert match(before, texts).columns == ()
    assert len(match(before, texts).after) == 0


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
    pairs = match(*(read_cells(str(tmp_path / place), "test") for place in "ab"))
    assert np.array_equal(pairs.before, [0, 1])


def test_a_split_of_tfrecord_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Split-test").mkdir()
    (tmp_path / "Split-test" / "data.gz").touch()
    with pytest.raises(FileNotFoundError, match="no Parquet files"):
        read_cells(str(tmp_path), "test")
