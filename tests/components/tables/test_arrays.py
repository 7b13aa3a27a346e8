"""Helpers for Arrow arrays handle slices, nulls and NaN."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

from components.tables.arrays import (
    find_first_infinite,
    is_present,
    replace_nan_with_null,
    text_buffers,
)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.large_binary()])
def test_text_buffers_of_a_slice_point_to_its_own_texts(kind):
    texts = pa.array([b"zero", b"one", b"", b"two"], pa.large_binary()).cast(kind)[1:]
    offsets, content = text_buffers(texts)
    found = [bytes(content[begin:end]) for begin, end in itertools.pairwise(offsets)]
    assert found == [b"one", b"", b"two"]


def test_text_buffers_of_an_empty_array_are_empty():
    offsets, content = text_buffers(pa.array([], pa.string()))
    assert (offsets.tolist(), content.tolist()) == ([0], [])


def test_only_nulls_are_not_present():
    assert is_present(pa.array([0, None, 1])).tolist() == [True, False, True]


def test_nan_becomes_null_and_other_arrays_are_unchanged():
    floats = pa.array([1.0, math.nan, None], pa.float32())
    assert replace_nan_with_null(floats).to_pylist() == [1.0, None, None]
    assert replace_nan_with_null(pa.array(["nan"])).to_pylist() == ["nan"]


def test_the_first_infinite_number_is_found():
    assert find_first_infinite(pa.array([0.0, None, -np.inf, np.inf])) == 2
    assert find_first_infinite(pa.array([0.0, None, math.nan])) is None
