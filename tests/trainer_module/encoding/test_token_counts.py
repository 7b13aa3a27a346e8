"""Counting tokens and choosing the vocabularies."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import tensorflow_transform as tft
from tiny_run import custom_config, transform

from trainer_module.encoding import token_counts
from trainer_module.encoding.key_counts import to_table
from trainer_module.encoding.token_counts import Vocabulary, _Choose, _choose_of_partition


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


def test_the_most_frequent_tokens_of_all_partitions_are_chosen() -> None:
    choose = _Choose({"c": Vocabulary("c", 2, 2, 1), "d": Vocabulary("d", 2, 1, 1)})
    parts = [
        choose.add_input(choose.create_accumulator(), found)
        for found in ({"c": [(5, b"b"), (1, b"rare")]}, {"c": [(2, b"a"), (2, b"c")]}, {})
    ]
    assert choose.extract_output(choose.merge_accumulators(parts)) == {"c": [b"b", b"c"], "d": []}


def test_a_partition_passes_on_no_more_than_the_vocabulary_can_hold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(token_counts, "_CHUNK_ROWS", 3)
    keys = [f"c\t{number}".encode() for number in range(10)]
    tables = [to_table((np.array(keys, object), np.arange(10))) for _ in range(2)]
    chosen = _choose_of_partition((0, tables), {"c": Vocabulary("c", 2, 1, 1)})
    assert chosen == {"c": [(18, b"9"), (16, b"8")]}


def test_the_most_frequent_tokens_are_chosen_and_ties_sort_by_bytes() -> None:
    counted = [(2, b"a"), (5, b"b"), (2, b"c"), (1, b"rare")]
    assert Vocabulary("color", 9, 2, 1).choose(counted) == [(5, b"b"), (2, b"c"), (2, b"a")]
    assert Vocabulary("color", 2, 1, 1).choose(counted) == [(5, b"b"), (2, b"c")]
