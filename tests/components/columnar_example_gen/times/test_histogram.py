"""Boundaries that are found in cells of times are those that all times give."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from components.columnar_example_gen.times.histogram import Histogram
from components.columnar_example_gen.times.tally import Cells, TimeTally, Windows
from pipeline.config import SplitConfig

CONFIG = SplitConfig(by="time", column="t", train=0.6, eval=0.2, test=0.2)


def count(times: list[int], most: int | None = None, windows: Windows | None = None) -> Cells:
    tally = TimeTally(most, windows)
    tally.add(np.array(times, np.int64))
    return tally.read()


def find_boundaries(times: list[int], config: SplitConfig, most: int | None) -> list[int]:
    histogram, surveys = Histogram.of(count(times, most)), 1
    while windows := histogram.find_unclear(config):
        histogram = histogram.refine(windows, count(times, most, windows))
        surveys += 1
        assert surveys < 65
    assert histogram.rows.sum() == len(times)
    return [histogram.starts[at].item() for at in histogram.choose(config)]


def test_the_shares_are_as_near_as_equal_times_allow():
    assert find_boundaries([1, 2, 3, 4, 5], CONFIG, None) == [3, 4]
    assert find_boundaries([1] * 8 + [2, 3], CONFIG, None) == [1, 2]
    assert find_boundaries([1, 2] + [3] * 8, CONFIG, None) == [1, 2]


@given(
    times=st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 60), min_size=3, max_size=300)
    .filter(lambda times: len(set(times)) >= 3),
    train=st.floats(0.05, 0.9),
    share=st.floats(0.1, 0.9),
)  # fmt: skip
def test_boundaries_in_cells_are_the_boundaries_of_all_times(times, train, share):
    evaluation = (1 - train) * share
    shares = {"train": train, "eval": evaluation, "test": 1 - train - evaluation}
    config = CONFIG.model_copy(update=shares)
    assert find_boundaries(times, config, 32) == find_boundaries(times, config, None)


def test_evenly_spread_times_need_two_surveys():
    times = list(range(0, 10_000_000, 1000))
    histogram = Histogram.of(count(times, 1 << 10))
    windows = histogram.find_unclear(CONFIG)
    assert windows is not None
    assert histogram.refine(windows, count(times, 1 << 10, windows)).find_unclear(CONFIG) is None
