"""Every kind of feature through TFX's Transform."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from sklearn.feature_extraction.text import TfidfVectorizer
from tensorflow_transform import analyzer_nodes, impl_helper
from tiny_run import column_type, custom_config, transform

from trainer_module.names import LABEL_KEY, ngrams_name, places_of, tfidf_name, transformed_name
from trainer_module.preprocessing import preprocessing_fn
from trainer_module.sections import Sections

pytestmark = pytest.mark.slow

NO = None


_TABLE: dict[str, list[Any]] = {
    "standard": [1.0, 2.0, 3.0, NO, 2.0],
    "plain": [1.0, 3.0, 1.0, NO, 3.0],
    "constant": [0.1, 0.1, 0.1, NO, 0.1],
    "extreme": [0.0, 0.0, 0.0, NO, 3e38],
    "logarithm": [0.0, -math.expm1(1), math.expm1(1), NO, 0.0],
    "quantile": [0.0, 0.0, 0.0, 7.0, NO],
    "integers": [1, 3, 1, NO, 3],
    "bucket": [1.0, 2.0, 3.0, 4.0, NO],
    "fixed": [-1.0, 0.0, 9.9, 10.0, NO],
    "category": ["b", " b ", "a", "rare", NO],
    "top": ["b", "b", "a", "rare", NO],
    "frequent": ["b", "b", "a", "rare", NO],
    "area": [60, 60, NO, 7, 60],
    "hashed (%)": ["x", "y", " x", NO, "x"],
    "boolean": ["True", "FALSE", " yes", NO, "0"],
    "flag": [1, 0, NO, 1, 1],
    "when": ["2026-01-01T06:00", "2026-04-01", "2026-07-01", "soon", NO],
    "since": [0, 86400, 31536000, NO, 31536000],
    "passed": ["2025-12-31", "2026-01-01", NO, "2026-01-02", "2026-01-01"],
    "text": ["Late late again", "", NO, "again now then and so", "late"],
    "note": ["Late late again", "", NO, "again now then and so", "late"],
    "start lat": [52.52, 48.8566, 0.0, NO, 52.52],
    "start lon": [13.405, 2.3522, 179.5, 0.0, 13.405],
    "end lat": [48.8566, 48.8566, 0.0, 1.0, 48.8566],
    "end lon": [2.3522, 2.3522, -179.5, 1.0, NO],
    "label": ["no", "yes", "yes", "no", "else"],
}


_FEATURES: dict[str, Any] = {
    "standard": "numeric",
    "plain": {"kind": "numeric", "missing_indicator": False},
    "constant": "numeric",
    "extreme": "numeric",
    "logarithm": {"kind": "numeric", "scale": "log"},
    "quantile": {"kind": "numeric", "scale": "quantile"},
    "integers": "numeric",
    "bucket": {"kind": "bucketized", "buckets": 2},
    "fixed": {"kind": "bucketized", "boundaries": [0, 10]},
    "category": "categorical",
    "top": {"kind": "categorical", "vocabulary_size": 1, "oov_buckets": 3},
    "frequent": {"kind": "categorical", "min_count": 2},
    "area": "categorical",
    "hashed (%)": {"kind": "hashed", "buckets": 50},
    "boolean": "boolean",
    "flag": "boolean",
    "when": {"kind": "timestamp", "parts": ["hour", "month", "year"], "max_unreadable": 0.25},
    "since": {"kind": "timestamp", "format": "epoch_seconds", "parts": ["weekday", "day", "year"]},
    "passed": {"kind": "timestamp", "parts": ["day_of_year", "date"]},
    "start lat": {"kind": "numeric", "longitude": "start lon"},
    "start lon": "numeric",
    "end lat": {"kind": "numeric", "longitude": "end lon"},
    "end lon": "numeric",
    "text": {"kind": "text", "max_tokens": 4},
    "note": {"kind": "text", "max_tokens": 4, "tfidf_buckets": 1 << 20, "max_ngrams": 12},
}


_EMPTY_KINDS: dict[str, Any] = {
    "numeric": "numeric",
    "quantiles": {"kind": "numeric", "scale": "quantile"},
    "buckets": "bucketized",
    "categories": "categorical",
    "hash": "hashed",
    "bool": "boolean",
    "time": "timestamp",
    "words": {"kind": "text", "max_tokens": 2, "tfidf_buckets": 8, "max_ngrams": 3},
}
_N_GRAMS = {"note": ("n-grams", "tf-idf"), "empty words": ("no n-grams", "no tf-idf")}
"""Names for the n-grams of a text and their weights."""


@pytest.fixture(scope="module")
def transformed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """The transformed values by column; the columns of _EMPTY_KINDS have no values."""
    root = tmp_path_factory.mktemp("preprocessing")
    table = {**_TABLE, **{f"empty {kind}": [NO] * 5 for kind in _EMPTY_KINDS}}
    features = {**_FEATURES, **{f"empty {kind}": f for kind, f in _EMPTY_KINDS.items()}}
    types = {name: column_type(values) for name, values in table.items()}
    types |= {f"empty {kind}": "string" for kind in ("categories", "time", "words")}
    label = {"column": "label", "task": "binary", "classes": ["no", "yes"]}
    config = custom_config(features, label)
    transform(root, {"train": table, "eval": table}, config, types)
    (file,) = Path(root, "transformed", "Split-train").iterdir()
    rows = pq.read_table(file)
    names = {transformed_name(column): column for column in features} | {LABEL_KEY: "label"}
    (distance,) = filter(places_of, Sections(config).encoded_features)
    names[transformed_name(distance)] = "distance"
    for column, (ngrams, tfidf) in _N_GRAMS.items():
        names |= {ngrams_name(column): ngrams, tfidf_name(column): tfidf}
    return {names[n]: np.array(rows[n].to_pylist(), rows[n].type.value_type.to_pandas_dtype())
            for n in rows.column_names}  # fmt: skip


def test_outputs_are_dense_and_typed(transformed: dict[str, np.ndarray]) -> None:
    grams = [name for pair in _N_GRAMS.values() for name in pair]
    empty = {f"empty {kind}" for kind in _EMPTY_KINDS}
    assert set(transformed) == {*_FEATURES, *grams, "distance", "label", *empty}
    ids = {"bucket", "fixed", "category", "top", "frequent", "area", "hashed (%)", "text", "label"}
    ids |= {"note", "n-grams", "no n-grams"}
    for column in (*_FEATURES, *grams, "label"):
        assert transformed[column].dtype == (np.int64 if column in ids else np.float32), column


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("standard", [[-math.sqrt(2), 0], [0, 0], [math.sqrt(2), 0], [0, 1], [0, 0]]),
        ("plain", [[-1], [1], [-1], [0], [1]]),
        ("constant", [[0, 0], [0, 0], [0, 0], [0, 1], [0, 0]]),
        ("logarithm", [[0, 0], [-math.sqrt(2), 0], [math.sqrt(2), 0], [0, 1], [0, 0]]),
        ("integers", [[-1, 0], [1, 0], [-1, 0], [0, 1], [1, 0]]),
        ("bucket", [[1], [1], [2], [2], [0]]),
        ("fixed", [[1], [2], [2], [3], [0]]),
        ("boolean", [[1, 0], [0, 0], [1, 0], [0, 1], [0, 0]]),
        ("flag", [[1, 0], [0, 0], [0, 1], [1, 0], [1, 0]]),
        ("label", [[0], [1], [1], [0], [-1]]),
    ],
)
def test_values_are_scaled_bucketed_and_encoded_by_kind(
    transformed: dict[str, np.ndarray], column: str, expected: list[list[float]]
) -> None:
    np.testing.assert_allclose(transformed[column], expected, atol=1e-5)


def test_the_distance_of_two_places_is_a_number(transformed: dict[str, np.ndarray]) -> None:
    kilometres = np.log1p([878.0, 0.0, 111.2])  # Berlin to Paris, Paris, and over the date line.
    expected = (kilometres - kilometres.mean()) / kilometres.std()
    distance, missing = transformed["distance"].T
    np.testing.assert_allclose(distance, [*expected, 0, 0], atol=0.01)
    assert missing.tolist() == [0, 0, 0, 1, 1]


def test_extreme_numbers_are_clipped_to_ten_deviations(transformed: dict[str, np.ndarray]) -> None:
    assert np.isfinite(transformed["extreme"]).all()
    assert np.abs(transformed["extreme"]).max() <= 10


def test_quantiles_keep_ties_together_and_the_order(transformed: dict[str, np.ndarray]) -> None:
    score, missing = transformed["quantile"].T
    assert score[0] == score[1] == score[2] < 0 < score[3] < 3.2
    assert missing.tolist() == [0, 0, 0, 0, 1]
    assert score[4] == 0


def test_equal_categories_share_an_id_and_0_is_missing(transformed: dict[str, np.ndarray]) -> None:
    b, again, a, rare, missing = transformed["category"][:, 0]
    assert b == again == 1
    assert {a, rare} == {2, 3}
    assert missing == 0
    assert transformed["area"][:, 0].tolist() == [1, 1, 0, 2, 1]


def test_rare_categories_share_out_of_vocabulary_ids(transformed: dict[str, np.ndarray]) -> None:
    assert transformed["frequent"][:, 0].tolist() == [1, 1, 2, 2, 0]
    top = transformed["top"][:, 0]
    assert top[:2].tolist() == [1, 1]
    assert set(top[2:4]) <= {2, 3, 4}
    assert top[4] == 0


def test_hashed_ids_leave_zero_to_missing(transformed: dict[str, np.ndarray]) -> None:
    x, y, x_again, missing, x_third = transformed["hashed (%)"][:, 0]
    assert x == x_again == x_third != y
    assert missing == 0
    assert 1 <= min(x, y) <= max(x, y) <= 50


def test_timestamps_become_cycles_and_a_scaled_year(transformed: dict[str, np.ndarray]) -> None:
    when = transformed["when"]
    np.testing.assert_allclose(when[0, :2], [1, 0], atol=1e-6)  # Six o'clock.
    np.testing.assert_allclose(when[1, :2], [0, 1], atol=1e-6)  # Midnight.
    np.testing.assert_allclose(when[:3, 4], 0, atol=1e-6)  # A single year.
    assert when[3:].tolist() == [[0, 0, 0, 0, 0, 1]] * 2
    year = transformed["since"][:, 4]
    assert year[0] == year[1] < year[2] == year[4]
    assert transformed["since"][:, 5].tolist() == [0, 0, 0, 1, 0]


def test_the_date_runs_from_the_first_to_the_last_training_day(
    transformed: dict[str, np.ndarray],
) -> None:
    passed = transformed["passed"]
    np.testing.assert_allclose(passed[:, 2], [-1, 0, 0, 1, 0], atol=1e-6)
    assert passed[:, 3].tolist() == [0, 0, 1, 0, 0]
    # 31 December and 1 January are neighbours.
    np.testing.assert_allclose(passed[0, :2], passed[1, :2], atol=0.04)


def test_a_text_becomes_the_ids_of_its_distinct_tokens(transformed: dict[str, np.ndarray]) -> None:
    first, empty, missing, long, last = transformed["text"].tolist()
    late = last[0]
    assert first[0] == late
    assert first[1] not in (0, 1, late)
    assert first[2:] == [0, 0]
    assert empty == [0, 0, 0, 0]
    assert missing == [1, 0, 0, 0]
    assert len(set(long)) == 4
    assert long[0] == first[1]
    assert min(long) >= 2


def test_n_grams_have_the_weights_of_scikit_learn(transformed: dict[str, np.ndarray]) -> None:
    reference = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    expected = reference.fit_transform([text or "" for text in _TABLE["note"]]).toarray()
    terms = reference.get_feature_names_out().tolist()
    ids = tf.strings.to_hash_bucket_fast(terms, 1 << 20).numpy() + 1
    found = np.zeros_like(expected)
    for row, (several, weights) in enumerate(
        zip(transformed["n-grams"], transformed["tf-idf"], strict=True)
    ):
        assert (weights[:-1] >= weights[1:]).all()
        for number, weight in zip(several[several > 0], weights[several > 0], strict=True):
            found[row, ids.tolist().index(number)] = weight
        assert not weights[several == 0].any()
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert not transformed["no n-grams"].any()
    assert not transformed["no tf-idf"].any()


@pytest.mark.parametrize("kind", list(_EMPTY_KINDS))
def test_a_column_without_values_is_missing_throughout(
    transformed: dict[str, np.ndarray], kind: str
) -> None:
    rows = transformed[f"empty {kind}"]
    mark = {"words": [1, 0], "buckets": [0], "categories": [0], "hash": [0]}
    width = rows.shape[1]
    assert rows.tolist() == [mark.get(kind, [0] * (width - 1) + [1])] * 5


KINDS: dict[str, Any] = {
    "number": "numeric",
    "amount": {"kind": "numeric", "scale": "log"},
    "rank": {"kind": "numeric", "scale": "quantile"},
    "bucket": {"kind": "bucketized", "buckets": 3},
    "category": "categorical",
    "day": {"kind": "timestamp", "parts": ["hour", "year", "date"]},
    "text": {"kind": "text", "tfidf_buckets": 8},
}


TEXT = ("category", "day", "text", "label")


def analyses(columns: int) -> int:
    features = {f"{name} {i}": kind for name, kind in KINDS.items() for i in range(columns)}
    label = {"column": "label", "task": "binary", "classes": ["no", "yes"]}
    config = custom_config(features, label)
    specs = {
        name: tf.TensorSpec([None, 1], tf.string if name.startswith(TEXT) else tf.float32)
        for name in (*features, "label")
    }
    graph, *_ = impl_helper.trace_preprocessing_function(
        lambda inputs: preprocessing_fn(inputs, config), specs, use_tf_compat_v1=False
    )
    return len(graph.get_collection(analyzer_nodes.TENSOR_REPLACEMENTS))


@pytest.mark.long
def test_more_columns_need_no_more_analyses() -> None:
    """With an analysis for each of 500 columns, Beam took 27 times as long as all steps before."""
    assert analyses(12) == analyses(2) > 0
