"""Columns are summarised over all splits, on real statistics of TFDV."""

from __future__ import annotations

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.statistics_view.column_summary import (
    ColumnSummary,
    common_statistics,
    iter_columns,
    observe_schema,
    summarize_columns,
)


def summarize(*splits: pd.DataFrame) -> dict[str, ColumnSummary]:
    return summarize_columns(tfdv.generate_statistics_from_dataframe(s).datasets[0] for s in splits)


def test_counts_values_and_extremes_of_two_splits_are_joined() -> None:
    one = pd.DataFrame({"a.b (€)": [1.5, None, 3.0], "word": ["x", "y", "x"]})
    two = pd.DataFrame({"a.b (€)": [9.0, 2.0], "word": ["z", None]})
    columns = summarize(one, two)
    number, word = columns["a.b (€)"], columns["word"]
    assert (number.type, number.rows, number.missing) == (schema_pb2.FLOAT, 5, 1)
    assert (number.low, number.high, number.examples()) == (1.5, 9.0, ("1.5", "9"))
    assert (number.name, number.values_per_row) == ("a.b (€)", 1)
    assert number.missing_share == pytest.approx(0.2)
    assert (word.low, word.high) == (None, None)
    assert word.values == {"x": 2, "y": 1, "z": 1}
    assert (word.distinct, word.is_cut_off, word.present) == (3, False, 4)
    assert word.examples(2) == ("x", "y")


def test_a_split_without_values_does_not_change_the_type() -> None:
    empty, full = pd.DataFrame({"a": [None, None]}), pd.DataFrame({"a": [1, 2]})
    for splits in ((empty, full), (full, empty)):
        assert summarize(*splits)["a"].type == schema_pb2.INT


def test_nan_counts_as_missing() -> None:
    statistics = tfdv.generate_statistics_from_dataframe(pd.DataFrame({"a": [1.0, 2.0, 3.0]}))
    statistics.datasets[0].features[0].num_stats.histograms[0].num_nan = 1
    assert summarize_columns(statistics.datasets)["a"].missing == 1


def test_a_column_with_more_values_than_tfdv_keeps_is_cut_off() -> None:
    column = ColumnSummary("a", schema_pb2.BYTES, 9, 0, values={"x": 2}, distinct=2)
    assert column.is_cut_off


def split_of_texts(label: str, distinct: int) -> statistics_pb2.DatasetFeatureStatistics:
    """Returns a split with one value that TFDV has kept of so many."""
    split = statistics_pb2.DatasetFeatureStatistics(num_examples=distinct)
    texts = split.features.add(name="a", type=statistics_pb2.FeatureNameStatistics.STRING)
    texts.string_stats.unique = distinct
    texts.string_stats.common_stats.num_non_missing = distinct
    texts.string_stats.common_stats.max_num_values = 3
    texts.string_stats.rank_histogram.buckets.add(label=label, sample_count=1)
    return split


@pytest.mark.parametrize(("one", "other", "distinct"), [(2, 1, 3), (1, 2, 3), (9, 1, 9), (1, 9, 9)])
def test_a_column_that_is_cut_off_in_one_split_is_cut_off(
    one: int, other: int, distinct: int
) -> None:
    splits = [split_of_texts("x", one), split_of_texts("y", other)]
    column = summarize_columns(splits)["a"]
    assert (column.values, column.distinct) == ({"x": 1, "y": 1}, distinct)
    assert column.is_cut_off


def test_the_most_values_of_a_row_and_the_distinct_values_of_a_single_split_are_kept() -> None:
    column = summarize_columns([split_of_texts("x", 4)])["a"]
    assert (column.name, column.values_per_row, column.distinct) == ("a", 3, 4)


def test_the_most_frequent_values_are_the_first_examples() -> None:
    column = ColumnSummary("a", schema_pb2.BYTES, 9, 0, values={"x": 2, "y": 6, "w": 2})
    assert column.examples() == ("y", "w", "x")


def test_the_observed_schema_has_names_and_types_only() -> None:
    columns = {"a": ColumnSummary("a", schema_pb2.FLOAT, 9, 0)}
    feature = schema_pb2.Feature(name="a", type=schema_pb2.FLOAT)
    assert observe_schema(columns) == schema_pb2.Schema(feature=[feature])


def test_a_column_without_statistics_has_empty_counts() -> None:
    nothing = statistics_pb2.FeatureNameStatistics()
    assert common_statistics(nothing) == statistics_pb2.CommonStatistics()


def test_an_empty_column_has_no_missing_share_and_no_examples() -> None:
    column = ColumnSummary("a", schema_pb2.FLOAT, 0, 0)
    assert (column.missing_share, column.examples()) == (0.0, ())


def test_fields_of_nested_columns_are_left_out() -> None:
    split = statistics_pb2.DatasetFeatureStatistics()
    split.features.add().path.step.extend(["a", "b"])
    split.features.add(name="c")
    assert [name for name, _ in iter_columns(split)] == ["c"]
