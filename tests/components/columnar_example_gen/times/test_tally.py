"""Tallies of times keep the order and the number of rows, and merge in any order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.columnar_example_gen.times import tally
from components.columnar_example_gen.times.tally import (
    Cells,
    TimeTally,
    Windows,
    make_keys,
    read_key,
)

INT64 = st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("kind", ["int64", "float32", "float64"])
@given(data=st.data())
def test_keys_are_ordered_as_the_times_and_lead_back_to_them(kind, data):
    numbers = INT64 if kind == "int64" else st.floats(allow_nan=False, width=int(kind[-2:]))
    times = np.array(data.draw(st.lists(numbers, min_size=1)), kind)
    keys = make_keys(times)
    assert [read_key(key, kind) for key in keys.tolist()] == times.tolist()
    by_time = keys[np.argsort(times, kind="stable")].tolist()
    assert by_time == sorted(by_time)
    assert len(np.unique(keys)) == len(np.unique(times))


def count(times: list[int], most: int | None = None, windows: Windows | None = None) -> Cells:
    tally = TimeTally(most, windows)
    tally.add(np.array(times, np.int64))
    return tally.read()


def test_a_tally_without_a_bound_has_a_cell_for_each_time():
    cells = count([3, -5, 3, 2**62])
    assert cells.starts.tolist() == [-5, 3, 2**62]
    assert cells.rows.tolist() == [1, 2, 1]
    assert cells.shift == 0


@given(times=st.lists(INT64), most=st.integers(2, 20))
def test_a_bounded_tally_has_cells_as_narrow_as_possible(times, most):
    cells = count(times, most)
    assert cells.rows.sum() == len(times)
    assert len(cells.starts) <= most
    exact = count(times)
    if len(exact.starts) <= most:
        assert cells.shift == 0
    else:
        shift = cells.shift - 1
        assert len(np.unique(exact.starts >> shift)) > most
    below = [sum(time < start for time in times) for start in cells.starts.tolist()]
    assert below == [0, *np.cumsum(cells.rows)[:-1]][: len(below)]


@given(one=st.lists(INT64), other=st.lists(INT64))
def test_merged_tallies_are_the_tally_of_all_times(one, other):
    expected = count([*one, *other], 10)
    for first, second in ((one, other), (other, one)):
        merged = count(first, 10).merge(count(second, 10), most=10)
        assert merged.starts.tolist() == expected.starts.tolist()
        assert merged.rows.tolist() == expected.rows.tolist()


def test_only_times_in_the_windows_count():
    windows = Windows(np.array([0, 10]), np.array([3, 11]))
    assert count([-1, 0, 3, 4, 9, 10, 11, 12], None, windows).starts.tolist() == [0, 3, 10, 11]


def test_times_are_merged_on_the_way(monkeypatch):
    monkeypatch.setattr(tally, "_MERGE_AT", 2)
    counted = TimeTally()
    for time in (5, 6, 5, 7, 5):
        counted.add(np.array([time], np.int64))
    assert counted.read().rows.tolist() == [3, 1, 1]
