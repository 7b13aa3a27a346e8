"""Columns are summarised over all splits, on real statistics of TFDV."""

from __future__ import annotations

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2, statistics_pb2

from components.statistics_view.column_summary import (
    ColumnSummary,
    iter_columns,
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
    assert number.missing_share == pytest.approx(0.2)
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


def test_an_empty_column_has_no_missing_share_and_no_examples() -> None:
    column = ColumnSummary("a", schema_pb2.FLOAT, 0, 0)
    assert (column.missing_share, column.examples()) == (0.0, ())


def test_fields_of_nested_columns_are_left_out() -> None:
    split = statistics_pb2.DatasetFeatureStatistics()
    split.features.add().path.step.extend(["a", "b"])
    split.features.add(name="c")
    assert [name for name, _ in iter_columns(split)] == ["c"]
