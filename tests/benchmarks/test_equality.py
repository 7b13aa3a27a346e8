"""The comparisons of statistics and metrics find every difference."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from tensorflow_metadata.proto.v0 import statistics_pb2

from benchmarks.equality.metrics import check_models, check_same_model
from benchmarks.equality.statistics import compare_splits

Statistics = statistics_pb2.DatasetFeatureStatistics
VALUES = [float(value) for value in range(100)]
TABLE = pa.table({"fare": [*VALUES, None], "paid": ["Cash"] * 60 + ["Card"] * 41})


def statistics() -> Statistics:
    result = Statistics(num_examples=101)
    fare = result.features.add(path={"step": ["fare"]}).num_stats
    fare.common_stats.num_non_missing = fare.common_stats.tot_num_values = 100
    fare.mean, fare.std_dev, fare.min, fare.max, fare.num_zeros = 49.5, 28.9, 0, 99, 1
    fare.median = 50
    quantiles = fare.histograms.add(type=statistics_pb2.Histogram.QUANTILES)
    for decile in range(10):
        quantiles.buckets.add(low_value=10 * decile, high_value=10 * decile + 9.5)
    paid = result.features.add(path={"step": ["paid"]}).string_stats
    paid.common_stats.num_non_missing = paid.common_stats.tot_num_values = 101
    paid.unique, paid.avg_length = 2, 4
    for value, count in (("Cash", 60), ("Card", 41)):
        paid.top_values.add(value=value, frequency=count)
        paid.rank_histogram.buckets.add(label=value, sample_count=count)
    return result


def fare_of(result: Statistics) -> statistics_pb2.NumericStatistics:
    return result.features[0].num_stats


def paid_of(result: Statistics) -> statistics_pb2.StringStatistics:
    return result.features[1].string_stats


def test_equal_statistics_have_no_difference() -> None:
    assert list(compare_splits(statistics(), statistics(), TABLE)) == []


def test_tfdv_may_count_an_empty_list_as_present() -> None:
    stock = statistics()
    fare_of(stock).common_stats.num_non_missing = 101
    assert list(compare_splits(stock, statistics(), TABLE)) == []


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: setattr(fare_of(s), "mean", 49.6), "fare: mean 49.5 and 49.6"),
        (lambda s: setattr(fare_of(s), "max", 98), "fare: max 99"),
        (lambda s: setattr(fare_of(s), "num_zeros", 2), "fare: num_zeros 1"),
        (lambda s: setattr(fare_of(s), "median", 55), "fare: quantile 0.5 is 55"),
        (
            lambda s: setattr(fare_of(s).histograms[0].buckets[1], "high_value", 25),
            "fare: quantile 0.2 is 25",
        ),
        (lambda s: setattr(fare_of(s).common_stats, "tot_num_values", 99), "fare: 100 and 99"),
        (
            lambda s: setattr(fare_of(s).common_stats, "num_non_missing", 101),
            "fare: this project counts",
        ),
        (lambda s: setattr(paid_of(s), "unique", 3), "paid: 2 and 3 unique"),
        (lambda s: setattr(paid_of(s).top_values[0], "frequency", 61), "paid: other top_values"),
        (lambda s: s.features.pop(), "only one has paid"),
    ],
)
def test_a_changed_value_is_a_difference(
    change: Callable[[Statistics], None], expected: str
) -> None:
    ours = statistics()
    change(ours)
    differences = list(compare_splits(statistics(), ours, TABLE))
    assert differences
    assert differences[0].startswith(expected)


def test_both_evaluators_must_find_the_same_metrics_of_one_model() -> None:
    stock = {"": {"auc": 0.81, "examples": 100.0}, "hour=7": {"auc": float("nan")}}
    assert check_same_model(stock, {k: dict(v) for k, v in stock.items()}).held
    assert check_same_model(stock, stock | {"": {"auc": 0.811, "examples": 100.0}}).held
    for other in (
        {"": stock[""]},
        stock | {"": {"auc": 0.82, "examples": 100.0}},
        stock | {"": {"auc": 0.81, "examples": 100.1}},
        stock | {"": {"auc": 0.81}},
        stock | {"hour=7": {"auc": 0.5}},
    ):
        assert not check_same_model(stock, other).held
    assert not check_same_model({}, {}).held


def test_metrics_of_two_models_may_differ_by_noise_only() -> None:
    stock = {"": {"auc": 0.81, "examples": 100.0}}
    for auc, rows, held in ((0.82, 100, [True, True]), (0.84, 99, [False, False])):
        ours = {"": {"auc": auc, "examples": float(rows)}}
        checks = check_models(stock, ours, {"auc": 0.02})
        assert [check.held for check in checks] == held
