"""Samples of slices come from all parts, and take bounded memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from components.predictions.gaps.samples import SliceRows, sample_slices
from components.predictions.table import write_part
from pipeline.config import LabelConfig

LABEL = LabelConfig(column="y", task="regression")


def test_a_small_slice_is_whole_and_a_large_one_is_sampled_from_all_parts(tmp_path: Path) -> None:
    cities = np.array(["Oslo" if row % 50 == 7 else "Rom" for row in range(2000)])
    for start in range(0, 2000, 100):
        rows = np.arange(start, start + 100)
        cells = {"city": pa.array(cities[rows])}
        write_part(str(tmp_path), LABEL, "test", rows, rows / 2, rows, None, cells)
    slices = sample_slices(str(tmp_path), ["city"], most=400)
    assert list(slices) == ["city=Rom", "city=Oslo"]
    assert slices["city=Oslo"].count == 40
    assert slices["city=Oslo"].sample(400).tolist() == list(range(7, 2000, 50))
    assert slices["city=Rom"].count == 1960
    sample = slices["city=Rom"].sample(300)
    assert len(set(sample.tolist())) == 300
    assert sample.tolist() == sorted(sample.tolist())
    assert set(cities[sample]) == {"Rom"}
    # 15 rows of each part are expected; 3.8 is their standard deviation.
    counts = np.bincount(sample // 100, minlength=20)
    assert counts.min() >= 2
    assert counts.max() <= 30


def test_a_slice_holds_at_most_twice_its_sample() -> None:
    rows = SliceRows(most=50)
    random = np.random.default_rng(0)
    for start in range(0, 10_000, 30):
        rows.add(np.arange(start, start + 30), random.random(30))
        assert len(rows._rows) <= 2 * rows.most
    assert rows.count == 10_020
    assert len(rows.sample(1000)) == 50
