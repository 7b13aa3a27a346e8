"""The sentence for clients whose requests a new model does not answer."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

from components.push_history.inputs import list_input_changes
from components.served_model.served_record import ServedRecord


def save(directory: Path, *columns: str) -> str:
    """Saves a real model that takes these columns."""
    spec = {name: tf.TensorSpec([None, 1], tf.float32, name) for name in columns}
    function = tf.function(lambda **inputs: {"sum": tf.add_n(list(inputs.values()))})
    signature = function.get_concrete_function(**spec)
    tf.saved_model.save(tf.Module(), str(directory), {"serving_default": signature})
    return str(directory)


def served(root: Path, version: str) -> ServedRecord:
    record = ServedRecord(version, "m", "e", "s", "c", "{}", data_key="d", run_key="r")
    return record.with_directory(str(root))


@pytest.mark.slow
def test_other_columns_are_named_and_the_same_ones_say_nothing(tmp_path: Path) -> None:
    save(tmp_path / "7", "a", "b")
    new = save(tmp_path / "new", "b", *(f"c{i}" for i in range(7)))
    [sentence] = list_input_changes(new, served(tmp_path, "7"))
    assert sentence == (
        "the clients of version 7 have to change their requests: the new model needs 'c0', 'c1', "
        "'c2', 'c3', 'c4' and 2 more columns and no longer takes 'a'. With serving.mode: manual, "
        "the model waits for `promote`"
    )
    assert list_input_changes(str(tmp_path / "7"), served(tmp_path, "7")) == []


def test_nothing_is_said_without_a_served_model_that_can_be_read(tmp_path: Path) -> None:
    assert list_input_changes(str(tmp_path), None) == []
    (tmp_path / "7").mkdir()
    (tmp_path / "7/saved_model.pb").write_bytes(b"\xff\xff")
    assert list_input_changes(str(tmp_path / "7"), served(tmp_path, "7")) == []
    assert list_input_changes(str(tmp_path / "7"), served(tmp_path, "8")) == []
