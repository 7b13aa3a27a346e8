"""Counting tokens and choosing the vocabularies."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import tensorflow_transform as tft
from tiny_run import custom_config, transform

from trainer_module.encoding.token_counts import Vocabulary, _choose, _CountKeys


@pytest.mark.slow
def test_a_vocabulary_holds_what_a_count_in_python_finds(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    words = [f"w{i}" for i in range(40)] + ["", "a\tb", "a\nb", "größe", "__MISSING__x"]
    cells = [None if random.random() < 0.1 else str(random.choice(words)) for _ in range(600)]
    table = {"word": cells, "code": random.integers(0, 9, 600).tolist(), "y": ["no", "yes"] * 300}
    features = {
        "word": {"kind": "categorical", "vocabulary_size": 12, "min_count": 9, "oov_buckets": 3},
        "code": "categorical",
    }
    label = {"column": "y", "task": "binary", "classes": ["no", "yes"]}
    fn_args = transform(tmp_path, {"train": table, "eval": table}, custom_config(features, label))

    output = tft.TFTransformOutput(fn_args.transform_graph_path)
    path = output.vocabulary_file_by_name("vocabularies")
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    found = {c: [x[len(c) + 1 :] for x in lines if x.startswith(f"{c}\t")] for c in features}
    for column, most, fewest in (("word", 12, 9), ("code", 10_000, 1)):
        counts = dict.fromkeys(map(str, table[column]), 0)
        for cell in table[column]:
            counts[str(cell)] += cell is not None
        for never in ("None", "", "a\nb"):
            counts.pop(never, None)
        ordered = sorted(counts.items(), key=lambda e: (e[1], e[0].encode()), reverse=True)
        assert found[column] == [w for w, count in ordered if count >= fewest][:most]
    assert os.path.basename(path) == "vocabularies"


def test_counts_of_all_batches_are_added_up() -> None:
    count = _CountKeys()
    batches = [([b"c\tred", b"c\tblue"], [2, 1]), ([b"c\tred"], [3])]
    parts = [
        count.add_input(count.create_accumulator(), (np.array(keys, object), np.array(counts)))
        for keys, counts in batches
    ]
    table = count.extract_output(count.merge_accumulators(parts))
    rows = zip(table["key"].to_pylist(), table["count"].to_pylist())
    assert sorted(rows) == [(b"c\tblue", 1), (b"c\tred", 5)]
    assert count.extract_output(count.create_accumulator()) is None


def test_the_most_frequent_tokens_are_chosen_and_ties_sort_by_bytes() -> None:
    counted = [(2, b"a"), (5, b"b"), (2, b"c"), (1, b"rare")]
    assert _choose(counted, Vocabulary("color", 9, 2, 1)) == [b"b", b"c", b"a"]
    assert _choose(counted, Vocabulary("color", 2, 1, 1)) == [b"b", b"c"]
