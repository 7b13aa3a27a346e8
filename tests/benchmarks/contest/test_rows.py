"""The columns that boosted trees get for the features of a configuration."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.contest.rows import _convert_column, read_splits
from pipeline.config import load_config
from pipeline.config.sections.features import Categorical, Text


def cells(**texts: list) -> dict[str, pa.ChunkedArray]:
    return {name: pa.chunked_array([pa.array(each, pa.string())]) for name, each in texts.items()}


def test_a_text_becomes_the_weights_of_the_terms_of_train() -> None:
    texts = cells(train=["red car", "red bike", None], test=["a red car and a boat", None])
    found = _convert_column(texts, "title", Text())
    assert list(found["train"]) == list(found["test"]) == ["title 0", "title 1", "title 2"]
    columns = np.array(list(found["test"].values()))
    assert np.count_nonzero(columns[:, 0]) == 2
    assert not columns[:, 1].any()


def test_categories_that_train_does_not_have_are_missing() -> None:
    texts = cells(train=["b", "a"], test=["a", "c"])
    found = _convert_column(texts, "town", Categorical())
    assert list(found["test"]["town"].codes) == [1, -1]


def test_an_ordered_code_is_a_category_and_a_number() -> None:
    texts = cells(train=["01", "10", None], test=["07", "x"])
    found = _convert_column(texts, "area", Categorical(ordered=True))
    assert list(found["test"]["area"].codes) == [-1, -1]
    np.testing.assert_array_equal(found["train"]["area as number"], [1, 10, np.nan])
    np.testing.assert_array_equal(found["test"]["area as number"], [7, np.nan])
    plain = _convert_column(texts, "area", Categorical())
    assert list(plain["test"]) == ["area"]


CONFIG = """
name: cars
data: {path: cars.csv}
features: {title: text, seats: numeric}
label: {column: sold, task: binary, classes: ["no", "yes"]}
evaluation: {thresholds: [{metric: auc, at_least: 0.5}]}
"""


def test_a_split_has_terms_for_trees_and_texts_for_others(tmp_path: Path) -> None:
    table = pa.table(
        {
            "title": pa.array([[b"red car"], [b"boat"], None], pa.list_(pa.large_binary())),
            "seats": pa.array([[4], [2], None], pa.list_(pa.int64())),
            "sold": pa.array([[b"yes"], [b"no"], [b"no"]], pa.list_(pa.large_binary())),
        }
    )
    for name in ("train", "eval", "test"):
        directory = tmp_path / f"artifacts/ExampleGen/examples/1/Split-{name}"
        directory.mkdir(parents=True)
        pq.write_table(table, directory / "rows.parquet")
    (tmp_path / "cars.yaml").write_text(CONFIG)
    split = read_splits(tmp_path, load_config([tmp_path / "cars.yaml"]))["test"]
    assert split.labels.tolist() == [1, 0, 0]
    assert list(split.features) == ["title 0", "title 1", "title 2", "seats"]
    assert split.raw is not None
    assert split.raw["title"].tolist() == ["red car", "boat", ""]
    np.testing.assert_array_equal(split.raw["seats"], [4, 2, np.nan])
