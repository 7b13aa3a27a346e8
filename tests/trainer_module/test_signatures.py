"""Input names of signatures, and the columns that cannot be input names."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config.rules.column_names import first_unservable, signature_parameter
from trainer_module.signatures import plain_names, rename_inputs


@given(st.sets(st.text(min_size=1), max_size=12))
def test_plain_names_sort_as_the_parameters_do(columns: set[str]) -> None:
    plain = plain_names(columns)
    assert len(set(plain.values())) == len(columns)
    by_parameter = sorted(columns, key=lambda column: (signature_parameter(column), plain[column]))
    assert [plain[column] for column in by_parameter] == sorted(plain.values())


@pytest.mark.parametrize("column", ["class", "from", "a²", "x", "x y", "_", "1", "½", "None"])
def test_a_column_is_servable_exactly_if_tensorflow_loads_its_signature(
    column: str, tmp_path: Path
) -> None:
    """The parameter that TensorFlow makes of a name depends on Python's version."""
    module = tf.Module()
    module.f = tf.function(
        lambda plain: {"y": plain}, input_signature=[tf.TensorSpec([None], tf.float32, "plain")]
    )
    tf.saved_model.save(module, str(tmp_path), {"f": module.f})
    rename_inputs(str(tmp_path), {"f": {"plain": column}})
    try:
        loaded = tf.saved_model.load(str(tmp_path)).signatures["f"]
    except ValueError:
        loaded = None
    assert (first_unservable([column]) is None) is (loaded is not None)
    if loaded is not None:
        assert loaded(**{column: tf.constant([2.0])})["y"].numpy() == [2.0]
