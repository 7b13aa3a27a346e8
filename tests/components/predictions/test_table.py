"""The table of predictions, written in parts and read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from components.predictions.table import Predictions, iter_slices, read_predictions, write_part
from components.predictions.terms import Array
from pipeline.config import LabelConfig

LABELS = {
    "binary": LabelConfig(column="y", task="binary", classes=("no", "yes")),
    "multiclass": LabelConfig(column="y", task="multiclass", classes=("a", "b", "ü")),
    "regression": LabelConfig(column="y", task="regression"),
}


def write_table(
    directory: Path,
    task: str,
    labels: Array,
    candidate: Array,
    served: Array | None = None,
    slices: dict[str, Any] | None = None,
    cut: int = 3,
) -> None:
    """Writes the rows in parts of `cut` rows, the last part first, as workers may do."""
    cells = {name: pa.array(values) for name, values in (slices or {}).items()}
    for start in reversed(range(0, len(labels), cut)):
        part = slice(start, start + cut)
        write_part(
            str(directory),
            LABELS[task],
            "test",
            np.arange(len(labels))[part],
            labels[part],
            candidate[part],
            None if served is None else served[part],
            {name: values[part] for name, values in cells.items()},
        )


def read_some(uri: Path, *args: Any, **options: Any) -> Predictions:
    return read_predictions(str(uri), *args, **options)


def test_a_binary_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    labels, scores = np.array([0.0, 1, 1, 0, 1]), np.linspace(0, 1, 5, dtype=np.float32)
    city = ["Paris", None, "São Paulo", "Paris", ""]
    write_table(tmp_path, "binary", labels, scores, 1 - scores, {"city": city})
    read = read_some(tmp_path)
    assert (read.task, read.classes, read.split, read.total) == ("binary", ("no", "yes"), "test", 5)
    assert read.rows.tolist() == [0, 1, 2, 3, 4]
    assert read.labels.tolist() == [0, 1, 1, 0, 1]
    assert read.candidate.tolist() == scores.tolist()
    assert read.served is not None
    assert read.served.tolist() == (1 - scores).tolist()
    assert read.slices["city"].to_pylist() == city
    parts = list(iter_slices(str(tmp_path), ["city"]))
    assert [start for start, _ in parts] == [0, 3]
    assert [cell for _, cells in parts for cell in cells["city"].to_pylist()] == city


def test_pandas_reads_the_directory_as_one_table_in_order(tmp_path: Path) -> None:
    scores = np.arange(5, dtype=np.float32)
    write_table(tmp_path, "regression", scores * 2.5, scores, slices={"hour": [7, 8, None, 7, 7]})
    frame = pd.read_parquet(tmp_path)
    assert list(frame) == ["row", "label", "prediction", "slice:hour"]
    assert frame["row"].tolist() == [0, 1, 2, 3, 4]
    assert frame["label"].tolist() == [0, 2.5, 5, 7.5, 10]


def test_a_multiclass_table_holds_a_probability_for_each_class(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).dirichlet((1, 1, 1), 7).astype(np.float32)
    labels = np.array([0, 1, 2, -1, 1, 0, 2])
    write_table(tmp_path, "multiclass", labels, scores)
    read = read_some(tmp_path)
    assert read.served is None
    assert np.array_equal(read.candidate, scores)
    assert read.labels.tolist() == labels.tolist()
    assert pd.read_parquet(tmp_path)["label"].tolist() == ["a", "b", "ü", None, "b", "a", "ü"]


def test_chosen_rows_and_a_sample_are_read_alone(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).dirichlet((1, 1, 1), 20).astype(np.float32)
    write_table(tmp_path, "multiclass", np.zeros(20), scores)
    read = read_some(tmp_path, np.array([1, 2, 19]))
    assert (read.rows.tolist(), read.total) == ([1, 2, 19], 20)
    assert np.array_equal(read.candidate, scores[[1, 2, 19]])
    assert read_some(tmp_path, np.array([], np.int64)).candidate.shape == (0, 3)
    sample = read_some(tmp_path, at_most=6, seed=1)
    assert len(set(sample.rows)) == 6
    assert np.array_equal(sample.rows, np.sort(sample.rows))
    assert np.array_equal(sample.rows, read_some(tmp_path, at_most=6, seed=1).rows)
    assert not np.array_equal(sample.rows, read_some(tmp_path, at_most=6, seed=2).rows)
    assert len(read_some(tmp_path, at_most=50).rows) == 20
