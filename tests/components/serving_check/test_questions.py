"""The questions hold every row as the model server would read it."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf
from made_models import KINDS, make_rows, make_sample

from components.serving_check.questions import (
    UnservableError,
    make_missing,
    make_questions,
    make_unknown,
    read_signatures,
    to_example,
)
from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from serving.errors import RequestError

COLUMN = {"shape": [None, 1]}
DESCRIBED = {
    "serving_default": {"inputs": {n: {"dtype": k, **COLUMN} for n, k in KINDS.items()}},
    "serving_examples": {"inputs": {"examples": {"dtype": "string", "shape": [None]}}},
}


def test_rows_columns_and_examples_hold_the_same_values() -> None:
    sample = make_sample()
    questions = list(make_questions(*read_signatures(DESCRIBED), sample))
    columns, rows = questions[0], questions[1]
    for name in KINDS:
        np.testing.assert_array_equal(columns.inputs[name].values, rows.inputs[name].values)
    assert np.isnan(rows.inputs["größe (cm)"].values[4])
    assert rows.inputs["count"].values[6] == MISSING_INT
    assert rows.inputs["payment"].values[0] == MISSING_STRING.encode()
    [examples] = [q for q in questions if q.name == "real rows as tf.Examples"]
    parsed = tf.train.Example.FromString(examples.inputs["examples"].values[1])
    assert parsed.features.feature["payment"].bytes_list.value[:] == [b"Cash"]
    assert parsed.features.feature["count"].int64_list.value[:] == [1]


def test_each_column_is_missing_once_and_all_are_missing_once() -> None:
    full = [{"a": 1, "b": 2, "c": 3} for _ in range(2)]
    assert make_missing(full) == [
        {"a": None, "b": 2, "c": None},
        {"a": 1, "b": None, "c": 3},
        {"a": None, "b": None, "c": None},
    ]


def test_unknown_values_occur_in_no_row() -> None:
    rows = make_rows()
    unknown = make_unknown(rows, KINDS)
    for name in ("count", "payment"):
        assert not {row[name] for row in unknown} & {row[name] for row in rows}
    assert [row["größe (cm)"] for row in unknown] == [row["größe (cm)"] for row in rows[:16]]
    assert make_unknown([{"count": 2**63 - 5}], KINDS)[0]["count"] == 2**63 - 1


def test_an_example_holds_bytes_that_are_no_text() -> None:
    parsed = tf.train.Example.FromString(to_example({"payment": {"b64": "/w=="}}, KINDS))
    assert parsed.features.feature["payment"].bytes_list.value[:] == [b"\xff"]


@pytest.mark.parametrize(
    ("signature", "inputs", "problem"),
    [
        ("serving_default", {"size": {"dtype": "float64", **COLUMN}}, "'size' is float64"),
        ("serving_default", {"size": {"dtype": "int64", "shape": [None, 3]}}, "that is not"),
        ("serving_examples", {"x": {"dtype": "string", **COLUMN}}, "does not take one input"),
    ],
)
def test_a_signature_that_the_server_cannot_ask_is_named(
    signature: str, inputs: dict, problem: str
) -> None:
    with pytest.raises(UnservableError, match=problem):
        read_signatures({**DESCRIBED, signature: {"inputs": inputs}})


def test_a_model_with_another_column_is_refused() -> None:
    more = {**DESCRIBED["serving_default"]["inputs"], "fare": {"dtype": "float32", **COLUMN}}
    signatures = read_signatures({**DESCRIBED, "serving_default": {"inputs": more}})
    with pytest.raises(RequestError, match="missing column 'fare'"):
        next(make_questions(*signatures, make_sample()))
