"""Texts and codes are counted exactly, in batches of any size."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from components.statistics_gen import value_counts
from components.statistics_gen.value_counts import ValueCounts


def lists(cells: list[bytes | None]) -> pa.Array:
    nested = [None if cell is None else [cell] for cell in cells]
    return pa.array(nested, pa.large_list(pa.large_binary()))


@pytest.mark.parametrize("fewest_to_merge", [1, 10, 1 << 16])
def test_counts_are_exact_and_equal_counts_are_ordered_by_value(monkeypatch, fewest_to_merge):
    monkeypatch.setattr(value_counts, "_FEWEST_TO_MERGE", fewest_to_merge)
    generator = np.random.default_rng(0)
    cells = [b"%d" % n for n in generator.zipf(1.3, 3000) % 500]
    counts = ValueCounts()
    for begin in range(0, len(cells), 100):
        counts.add(lists([None, *cells[begin : begin + 100]]))
    proto = counts.to_proto("word", num_top_values=5, num_buckets=40, frequency_threshold=1)

    expected = sorted(((n, value) for value, n in Counter(cells).items()), reverse=True)
    statistics = proto.string_stats
    assert list(proto.path.step) == ["word"]
    assert statistics.unique == len(expected)
    assert [(v.frequency, v.value.encode()) for v in statistics.top_values] == expected[:5]
    buckets = statistics.rank_histogram.buckets
    assert [(b.sample_count, b.label.encode()) for b in buckets] == expected[:40]


def test_missing_cells_are_not_counted():
    counts = ValueCounts()
    counts.add(lists([None, None]))
    assert counts.is_empty()
    counts.add(lists([None, b""]))
    assert not counts.is_empty()
    assert counts.to_proto("word", 5, 40, 1).string_stats.unique == 1


def test_codes_are_counted_as_texts():
    counts = ValueCounts()
    counts.add(pa.array([[7], None, [-12], [7]], pa.large_list(pa.int64())))
    buckets = counts.to_proto("code", 5, 40, 1).string_stats.rank_histogram.buckets
    assert [(b.label, b.sample_count) for b in buckets] == [("7", 2), ("-12", 1)]


def test_bytes_that_are_not_utf8_are_counted():
    counts = ValueCounts()
    counts.add(lists([b"\xff", b"", b"\xff"]))
    statistics = counts.to_proto("word", 5, 40, 1).string_stats
    assert [v.frequency for v in statistics.top_values] == [2, 1]
