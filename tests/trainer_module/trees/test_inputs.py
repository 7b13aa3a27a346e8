"""The columns of the trees: their names, and their values from Transform's outputs."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_transform as tft
from tiny_models import Trained

from trainer_module.input.examples import open_examples
from trainer_module.sections import Sections
from trainer_module.trees.inputs import TreeColumn, TreeInputs, _mark, _pick

pytestmark = pytest.mark.slow


def test_the_columns_are_parts_of_the_features_in_their_order(regression_trees: Trained) -> None:
    fn_args = regression_trees.fn_args
    output = tft.TFTransformOutput(fn_args.transform_graph_path)
    inputs = TreeInputs(Sections(fn_args.custom_config).encoded_features, output, text_tokens=2)
    by_feature: dict[str, list[TreeColumn]] = {}
    for column in inputs.columns:
        by_feature.setdefault(column.feature, []).append(column)
    assert list(by_feature) == sorted(regression_trees.features)
    parts = [column.part for column in by_feature["when?"]]
    assert parts == ["hour", "weekday", "day", "month", "year", "date"]
    tokens = [column.part for column in by_feature["日本"]]
    assert tokens[0] == "number of tokens"
    assert len(tokens) == 3
    categorical = {column.feature for column in inputs.columns if column.is_categorical}
    assert categorical == {"a%b", "1st", "dense"}
    assert by_feature["dense"] == [TreeColumn("dense", "", True), TreeColumn("dense", "number")]


def test_numbers_reach_the_trees_unrounded_and_missing_ones_as_nan(
    regression_trees: Trained,
) -> None:
    fn_args = regression_trees.fn_args
    output = tft.TFTransformOutput(fn_args.transform_graph_path)
    inputs = TreeInputs(Sections(fn_args.custom_config).encoded_features, output, text_tokens=2)
    examples = open_examples(fn_args.train_files, output.transformed_feature_spec())
    columns = examples.layout.views(examples.load(0, examples.row_count))
    rows = inputs({name: tf.constant(values) for name, values in columns.items()}).numpy()
    table = regression_trees.splits["train"]
    position = {(c.feature, c.part): i for i, c in enumerate(inputs.columns)}
    for name in ("trip miles (km)", "größe/breite.cm", "Fare", "fare", "wide"):
        raw = np.array([np.nan if v is None else v for v in table[name]], np.float32)
        np.testing.assert_array_equal(rows[:, position[name, ""]], raw)
    nan = float("nan")
    codes = np.array([nan if v is None else v for v in table["dense"]], np.float32)
    np.testing.assert_array_equal(rows[:, position["dense", "number"]], codes)
    months = [nan if v is None else float(v[5:7]) for v in table["when?"]]
    np.testing.assert_array_equal(rows[:, position["when?", "month"]], months)
    truth = {None: nan, "True": 1.0, "no": 0.0}
    start, day = datetime(2000, 1, 1), timedelta(days=1)
    days = [nan if v is None else (datetime.fromisoformat(v) - start) / day for v in table["when?"]]
    np.testing.assert_array_equal(rows[:, position["when?", "date"]], np.float32(days))
    wanted = [truth[v] for v in table['_it\'s "quoted"']]
    np.testing.assert_array_equal(rows[:, position['_it\'s "quoted"', ""]], wanted)
    is_missing = np.array([v is None for v in table["a%b"]])
    np.testing.assert_array_equal(rows[:, position["a%b", ""]] == 0, is_missing)


@pytest.mark.parametrize("count", [0, 2])
def test_a_text_is_its_number_of_tokens_and_its_most_frequent_tokens(count: int) -> None:
    ids = tf.constant([[3, 9, 2, 0], [1, 0, 0, 0], [0, 0, 0, 0], [8, 7, 0, 0]], tf.int64)
    nan = float("nan")
    wanted = np.array([[3, 1, 1], [nan, 0, 0], [0, 0, 0], [2, 0, 0]], np.float32)
    np.testing.assert_array_equal(_mark(ids, count).numpy(), wanted[:, : 1 + count])
    assert _mark(ids[:0], count).shape == (0, 1 + count)


def test_a_text_with_n_grams_is_the_weights_of_the_chosen_ones() -> None:
    ids = tf.constant([[9, 4, 2, 0], [4, 0, 0, 0], [0, 0, 0, 0], [3, 11, 0, 0]], tf.int64)
    tfidf = tf.constant([[0.8, 0.5, 0.3, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0.9, 0.4, 0, 0]])
    chosen = np.array([4, 9])
    wanted = np.array([[0.5, 0.8], [1, 0], [0, 0], [0, 0]], np.float32)
    np.testing.assert_array_equal(_pick(ids, tfidf, chosen).numpy(), wanted)
    np.testing.assert_array_equal(_pick(ids, tfidf, chosen[:1]).numpy(), wanted[:, :1])
    assert _pick(ids, tfidf, chosen[:0]).shape == (4, 0)
    assert _pick(ids[:0], tfidf[:0], chosen).shape == (0, 2)
