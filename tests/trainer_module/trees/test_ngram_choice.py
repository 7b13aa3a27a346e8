"""The n-grams of a text that become columns of the trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tensorflow as tf
from pydantic import TypeAdapter

from pipeline.config import Features
from trainer_module.input.examples import open_examples
from trainer_module.trees.ngram_choice import choose_ngrams

FEATURES = TypeAdapter(Features).validate_python(
    {"note": {"kind": "text", "tfidf_buckets": 16}, "plain": "text", "size": "numeric"}
)
CLASSES = [0, 0, 0, 1, 1, 1, 2, 2, 2]
# 1 is in all rows, 2 in all rows of a class, 3 in some of each class, 4 in one row, 5 in two rows.
IDS = [[1, 3], [1, 3], [1, 4], [1, 2], [1, 2], [2, 1], [3, 1], [1, 5], [5, 1]]


@pytest.mark.parametrize("scale", [1, 1000])
@pytest.mark.parametrize(
    ("targets", "chosen"),
    [(np.eye(3)[CLASSES], {1: [2], 2: [2, 5], 9: [2, 3, 5]}), (np.array([CLASSES]).T, {1: [5]})],
    ids=["classes", "numbers"],
)
def test_the_n_grams_most_related_to_the_label_are_chosen(
    tmp_path: Path, targets: np.ndarray, chosen: dict[int, list[int]], scale: float
) -> None:
    cells = pa.array(IDS, pa.large_list(pa.int64()))
    pq.write_table(pa.table({"NGRAMS_note": cells}), tmp_path / "train.parquet", row_group_size=4)
    spec = {"NGRAMS_note": tf.io.FixedLenFeature([2], tf.int64)}
    train = open_examples([f"{tmp_path}/*"], spec)
    for most, ids in chosen.items():
        found = choose_ngrams(FEATURES, train, targets.astype(np.float32) * scale, most, 2)
        assert {name: several.tolist() for name, several in found.items()} == {"note": ids}


def test_a_label_of_one_value_is_related_to_nothing(tmp_path: Path) -> None:
    cells = pa.array(IDS, pa.large_list(pa.int64()))
    pq.write_table(pa.table({"NGRAMS_note": cells}), tmp_path / "train.parquet")
    spec = {"NGRAMS_note": tf.io.FixedLenFeature([2], tf.int64)}
    found = choose_ngrams(
        FEATURES, open_examples([f"{tmp_path}/*"], spec), np.ones([9, 1], np.float32), 3, 2
    )
    assert len(found["note"]) <= 3
