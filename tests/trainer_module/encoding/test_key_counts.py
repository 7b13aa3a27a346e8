"""Counting keys in partitions, with real bundles."""

from __future__ import annotations

from collections import Counter

import apache_beam as beam
import numpy as np
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.testing.util import assert_that
from tiny_run import BEAM_ARGS

from pipeline.config.sections.beam import RUNNER
from trainer_module.encoding import key_counts
from trainer_module.encoding.key_counts import CountKeys, KeySums, to_table


@pytest.mark.parametrize("most", [1 << 21, 10])
def test_each_key_is_in_one_partition_with_its_count(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_counts, "_MOST_KEYS", most)
    random = np.random.default_rng(0)
    batches, expected = [], Counter[bytes]()
    for _ in range(20):
        keys, counts = np.unique(random.integers(0, 200, 60), return_counts=True)
        texts = np.array([f"c\t{key}".encode() for key in keys], object)
        batches.append((texts, counts))
        expected.update(dict(zip(texts.tolist(), counts.tolist(), strict=True)))

    def check(groups: list[tuple[int, list[object]]]) -> None:
        found = [KeySums(tables).merge().to_pydict() for _, tables in groups]
        pairs = [pair for part in found for pair in zip(part["key"], part["count"], strict=True)]
        assert len(pairs) == len(expected)
        assert dict(pairs) == expected
        assert len(found) > 20

    with beam.Pipeline(options=PipelineOptions([RUNNER, *BEAM_ARGS])) as pipeline:
        assert_that(pipeline | beam.Create(batches) | CountKeys(), check)


def test_sums_hold_few_rows_more_than_distinct_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_counts, "_MERGE_AT", 30)
    sums = KeySums()
    for _ in range(100):
        sums.add(to_table((np.array([b"a", b"b"], object), np.array([1, 2]))))
        assert sums.rows <= 2 + 32
    assert dict(zip(*sums.merge().to_pydict().values(), strict=True)) == {b"a": 100, b"b": 200}
    assert KeySums().merge().num_rows == 0
