"""Columns whose values Transform cannot read and refuses, from Parquet and from TFRecord."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tiny_run import custom_config, transform

from components.tables.parquet.stored_types import cast_to_text
from pipeline.config.sections.features import Numeric
from pipeline.core.errors import NOTE_FILE, REFUSAL_FILE, DataError
from trainer_module.encoding.unreadable import _judge, _Seen, _Tally

NO = None


ISO = ["2026-01-01", " 2026-04-01T06:00 ", NO, "2026-07-01"]


EUROPEAN = ["27.09.2025", NO, "28.09.2025", "2026-07-01"]


SECONDS = [0, 1_790_000_000, NO, 1_700_000_000]


MILLISECONDS = [1_790_000_000_000, NO, 1_700_000_000_000, 1_600_000_000_000]


def run(
    root: Path, columns: dict[str, list[Any]], features: dict[str, Any], parquet: bool = True
) -> None:
    label = {"column": "label", "task": "binary", "classes": ["no", "yes"]}
    train = columns | {"label": ["no", "yes", "yes", "no"]}
    transform(root, {"train": train, "eval": train}, custom_config(features, label), None, parquet)


@pytest.mark.long
@pytest.mark.slow
def test_columns_with_few_unreadable_times_pass(tmp_path: Path) -> None:
    columns = {"iso": ISO, "european": EUROPEAN, "since": SECONDS, "blank": ["", " ", NO, ISO[0]]}
    features = {
        "iso": "timestamp",
        "european": {"kind": "timestamp", "format": "day_first", "max_unreadable": 0.34},
        "since": {"kind": "timestamp", "format": "epoch_seconds"},
        "blank": "timestamp",
    }
    run(tmp_path, columns, features)
    assert list(tmp_path.glob("transformed/Split-train/*"))


@pytest.mark.slow
@pytest.mark.parametrize("parquet", [True, pytest.param(False, marks=pytest.mark.long)])
def test_columns_with_too_many_unreadable_times_are_refused(tmp_path: Path, parquet: bool) -> None:
    columns = {"a.day": EUROPEAN, "iso": ISO, "since": MILLISECONDS}
    features = {
        "a.day": {"kind": "timestamp", "max_unreadable": 0.66},
        "iso": "timestamp",
        "since": {"kind": "timestamp", "format": "epoch_seconds"},
    }
    with pytest.raises(DataError) as caught:
        run(tmp_path, columns, features, parquet)
    assert str(caught.value) == (
        "column 'a.day': 2 of 3 times in split train cannot be read as iso, such as '27.09.2025', "
        "'28.09.2025'; column 'since': 3 of 3 times in split train cannot be read as "
        "epoch_seconds, such as '1790000000000', '1700000000000', '1600000000000'"
    )
    assert caught.value.hint.startswith('set features."a.day".format to the format of the times, ')
    pasted = (
        """`--set 'features."a.day".max_unreadable=0.67' --set features.since.max_unreadable=1`"""
    )
    assert pasted in caught.value.hint


@pytest.mark.slow
def test_stored_offsets_are_refused_where_nothing_tells_how_to_convert_them(tmp_path: Path) -> None:
    moments = pa.array([0, 1_790_000_000, None, 1_700_000_000], pa.timestamp("s", "Europe/Berlin"))
    columns = {"at": cast_to_text(moments).to_pylist()}
    with pytest.raises(DataError, match=r"3 of 3 times .* as iso without an offset") as caught:
        run(tmp_path, columns, {"at": {"kind": "timestamp", "zone": "none"}})
    assert "or features.at.zone to the clock that the model shall see" in caught.value.hint


@pytest.mark.slow
def test_a_text_column_that_holds_no_numbers_is_refused_as_a_number(tmp_path: Path) -> None:
    prices = ["2.409,20", "1.300,00", NO, "12"]
    columns = {"price $": prices, "clean": ["1.5", " 2e3 ", NO, "-7"], "size": ["S", "M", "L", "S"]}
    features = {"price $": "bucketized", "clean": "numeric", "size": "categorical"}
    with pytest.raises(DataError) as caught:
        run(tmp_path, columns, features)
    assert str(caught.value) == (
        "column 'price $': 2 of 3 texts in split train cannot be read as a number, such as "
        "'2.409,20', '1.300,00'"
    )
    hint = caught.value.hint
    assert hint.startswith("set data.csv.thousands, data.csv.decimal or data.csv.units to how ")
    assert "`--set 'features.price $.max_unreadable=0.67'` unreadable values count as" in hint


@pytest.mark.slow
def test_counts_and_examples_of_all_workers_are_added_up() -> None:
    tally = _Tally(2)
    batches = [([[1, 4], [0, 2]], [b"soon\nnow", b""]), ([[3, 3], [1, 1]], [b"now\nlater", b"x"])]
    parts = [
        tally.add_input(tally.create_accumulator(), (np.array(counts), np.array(examples, object)))
        for counts, examples in batches
    ]
    seen = tally.extract_output(tally.merge_accumulators(parts))
    assert seen.counts.tolist() == [[4, 7], [1, 3]]
    assert seen.examples == [[b"soon", b"now", b"later"], [b"x"]]


@pytest.mark.parametrize(
    ("unreadable", "file", "words"),
    [
        (0, None, ""),
        (29, NOTE_FILE, "'a': 29 of 100 texts in split train cannot be read as a number: these"),
        (30, REFUSAL_FILE, "column 'a': 30 of 100 texts in split train cannot be read as a number"),
    ],
)
def test_values_that_count_as_missing_are_noted_or_refused(
    tmp_path: Path, unreadable: int, file: str | None, words: str
) -> None:
    seen = _Seen(np.array([[unreadable, 100], [0, 0]]), [[b"4 kg"], []])
    features = {"a": Numeric(max_unreadable=0.29), "empty": Numeric()}
    assert _judge(seen, features, str(tmp_path / "new")).tolist() == [
        np.float32(unreadable / 100),
        0,
    ]
    found = {path.name: path.read_text() for path in tmp_path.rglob("*.*")}
    assert [*found] == ([file] if file else [])
    assert all(words in text for text in found.values())


def test_a_note_begins_with_the_largest_shares_and_counts_the_rest(tmp_path: Path) -> None:
    seen = _Seen(np.array([[n, 100] for n in (1, 3, 2, 5, 4)]), [[] for _ in range(5)])
    _judge(seen, {name: Numeric() for name in "abcde"}, str(tmp_path))
    note = (tmp_path / NOTE_FILE).read_text()
    assert [note.index(f"column '{name}'") for name in "deb"] == sorted(
        note.index(f"column '{name}'") for name in "deb"
    )
    assert "; and 2 more columns: these values count as missing" in note
