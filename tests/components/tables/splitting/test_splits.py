"""Rows are assigned by their content, with the configured shares."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.splitting.splits import KeySplitter, RowSplitter, TimeSplitter
from pipeline.config import SplitConfig

BY_ROW = SplitConfig()
BY_KEY = SplitConfig(by="key", column="who")


def table(**columns: object) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns)


def test_splits_have_the_configured_shares():
    rows = table(x=np.arange(100_000))
    config = SplitConfig(train=0.7, eval=0.2, test=0.1)
    shares = np.bincount(RowSplitter(config, "y").assign(rows)) / 100_000
    # The tolerance is five standard deviations.
    assert np.allclose(shares, [0.7, 0.2, 0.1], atol=5 * np.sqrt(0.25 / 100_000))


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1), st.integers(0, 50))
def test_equal_rows_share_a_split_in_all_blocks(cells, cut):
    rows = table(x=pa.array(cells, pa.string()))
    splitter = RowSplitter(BY_ROW, "y")
    splits = splitter.assign(rows).tolist()
    pieces = [
        splitter.assign(rows.slice(0, cut)),
        splitter.assign(rows.slice(min(cut, len(cells)))),
    ]
    assert np.concatenate(pieces).tolist() == splits
    assert len(set(zip(cells, splits, strict=True))) == len(set(cells))


def test_rows_that_differ_only_in_their_label_share_a_split():
    x = np.arange(500)
    splitter = RowSplitter(BY_ROW, "y")
    bought = splitter.assign(table(x=x, y=pa.array(["yes"] * 500)))
    not_bought = splitter.assign(table(x=x, y=pa.array(["no"] * 500)))
    assert np.array_equal(bought, not_bought)
    assert set(bought) == {0, 1, 2}


def test_a_column_that_is_not_to_be_hashed_moves_no_row():
    x = np.arange(500)
    splitter = RowSplitter(BY_ROW, "y", ["x"])
    splits = splitter.assign(table(x=x))
    assert np.array_equal(splitter.assign(table(new=x[::-1], x=x)), splits)
    assert np.array_equal(RowSplitter(BY_ROW, "y").assign(table(x=x)), splits)


@pytest.mark.parametrize("splitter", [RowSplitter(BY_ROW, "y"), KeySplitter(BY_KEY, "who")])
def test_rows_are_divided_by_their_cells_as_the_file_has_them(splitter):
    numbers = np.arange(2**24, 2**24 + 500)
    rounded = table(who=numbers.astype(np.float32))
    expected = splitter.assign(table(who=numbers))
    assert np.array_equal(splitter.assign(rounded, {"who": pa.array(numbers)}), expected)
    assert not np.array_equal(splitter.assign(rounded), expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: RowSplitter(SplitConfig(seed=seed), "y"),
        lambda seed: KeySplitter(SplitConfig(by="key", column="x", seed=seed), "x"),
    ],
    ids=["by row", "by key"],
)
def test_another_seed_gives_other_splits(make):
    rows = table(x=np.arange(1000))
    first, second = make(0).assign(rows), make(1).assign(rows)
    assert not np.array_equal(first, second)
    assert first.dtype == np.uint8


def test_all_rows_of_a_key_share_a_split():
    who = np.repeat(np.arange(300), 10)
    splits = KeySplitter(BY_KEY, "who").assign(table(who=who, x=np.arange(3000)))
    assert np.all(splits.reshape(300, 10) == splits.reshape(300, 10)[:, :1])
    assert set(splits) == {0, 1, 2}


def test_a_key_stays_in_its_split_when_its_column_becomes_float():
    integers = table(who=pa.array(range(1000), pa.int64()))
    floats = table(who=pa.array(range(1000), pa.float32()))
    splitter = KeySplitter(BY_KEY, "who")
    assert np.array_equal(splitter.assign(integers), splitter.assign(floats))


def test_rows_without_a_key_go_to_train():
    for seed in range(20):
        config = SplitConfig(by="key", column="who", seed=seed)
        assert not KeySplitter(config, "who").assign(table(who=pa.nulls(3, pa.string()))).any()


def test_rows_after_the_boundaries_go_to_eval_and_test():
    splitter = TimeSplitter("t", (10, 20), lambda times: times)
    splits = splitter.assign(table(t=[9, 10, 11, 20, 21, None]))
    assert splits.tolist() == [0, 0, 1, 1, 2, 0]
    assert splits.dtype == np.uint8


@pytest.mark.parametrize("share", [5e-7, 0.2])
def test_shares_that_nearly_add_up_to_one_leave_no_row_without_split(share):
    config = SplitConfig(train=0.5, eval=0.5 - share, test=share)
    assert RowSplitter(config, "y").assign(table(x=np.arange(1000))).max() <= 2
