from __future__ import annotations

import re
from pathlib import Path

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter
from tiny_run import custom_config

from pipeline.config import Feature
from pipeline.config.rules.column_names import first_unservable, signature_parameter
from trainer_module.names import LABEL_KEY, count_ids, transformed_name
from trainer_module.sections import Sections
from trainer_module.signatures import plain_names, rename_inputs


@pytest.mark.parametrize(
    ("column", "name"),
    [
        ("trip_miles", "trip_miles"),
        ("Trip Miles", r"trip_miles__[0-9a-f]{8}"),
        ("größe (cm)", r"gr_e_cm__[0-9a-f]{8}"),
        ("日本", r"column__[0-9a-f]{8}"),
        ("1st", r"column_1st__[0-9a-f]{8}"),
        ("_label", r"label__[0-9a-f]{8}"),
        ("fare__0123abcd", r"fare_0123abcd__[0-9a-f]{8}"),
        ("x" * 300, r"x{48}__[0-9a-f]{8}"),
        ("con", r"con__[0-9a-f]{8}"),
        ("../../etc/passwd", r"etc_passwd__[0-9a-f]{8}"),
        ("..", r"column__[0-9a-f]{8}"),
    ],
)
def test_names_stay_readable(column: str, name: str) -> None:
    assert re.fullmatch(name, transformed_name(column))


@given(st.sets(st.text(min_size=1), min_size=2, max_size=8))
def test_names_are_safe_and_distinct(columns: set[str]) -> None:
    names = {transformed_name(column) for column in columns}
    assert len({name.lower() for name in names}) == len(columns)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name) for name in names)
    assert LABEL_KEY not in names


@given(st.sets(st.text(min_size=1), max_size=12))
def test_plain_names_sort_as_the_parameters_do(columns: set[str]) -> None:
    plain = plain_names(columns)
    assert len(set(plain.values())) == len(columns)
    by_parameter = sorted(columns, key=lambda column: (signature_parameter(column), plain[column]))
    assert [plain[column] for column in by_parameter] == sorted(plain.values())


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["a b", "a_c", "a (b)"], None),
        (["score +", "x", "score -"], ("score -", "could not tell it from 'score +'")),
        (["fare", "Fare"], None),
        (["x", "self"], ("self", "could not tell it from TensorFlow's own parameter self")),
        (["m", "m²"], ("m²", "could not load the model: Python has no parameter m²")),
        (["größe", "日本", "1st", "x_1"], None),
    ],
)
def test_columns_that_are_no_inputs_of_a_served_model(
    columns: list[str], found: tuple[str, str] | None
) -> None:
    unservable = first_unservable(columns)
    assert (unservable and unservable[0]) == (found and found[0])
    assert unservable is None or found is None or unservable[1].endswith(found[1])


@pytest.mark.parametrize("column", ["class", "from", "a²", "x", "x y", "_", "1", "½", "None"])
def test_no_column_is_taken_of_which_tensorflow_would_make_no_parameter(
    column: str, tmp_path: Path
) -> None:
    """What it makes of it depends on Python's version."""
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


@pytest.mark.parametrize(
    ("feature", "ids"),
    [
        ({"kind": "numeric"}, None),
        ({"kind": "boolean"}, None),
        ({"kind": "timestamp"}, None),
        ({"kind": "bucketized", "buckets": 4}, 5),
        ({"kind": "bucketized", "boundaries": [1, 2, 3]}, 5),
        ({"kind": "hashed", "buckets": 10}, 11),
        ({"kind": "categorical", "oov_buckets": 2}, 103),
        ({"kind": "text"}, 103),
    ],
)
def test_ids_of_a_feature(feature: dict[str, object], ids: int | None) -> None:
    parsed = TypeAdapter(Feature).validate_python(feature)
    assert count_ids(parsed, 100) == ids


def test_sections_are_parsed_when_asked_for() -> None:
    whole = custom_config({"b": "numeric", "a": "text"}, {"column": "y", "task": "regression"})
    sections = Sections({key: whole[key] for key in ("features", "label", "code")})
    assert list(sections.features) == ["a", "b"]
    assert sections.label.task == "regression"
    with pytest.raises(KeyError):
        _ = sections.training


def test_fingerprint_leaves_out_what_does_not_change_the_weights() -> None:
    whole = custom_config({"a": "text"}, {"column": "y", "task": "regression"})
    same = Sections({**whole, "backup_directory": "elsewhere"})
    other = Sections({**whole, "code": "another digest"})
    assert same.fingerprint() == Sections(whole).fingerprint() != other.fingerprint()
