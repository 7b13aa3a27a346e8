"""Predictions as JSON."""

import json

import numpy as np

from serving.rows.response import write_predictions

PROBABILITY = np.array([0.1, 0.9], np.float32)
CLASS = np.array([b"no", "größer".encode()], object)


def written(outputs: dict[str, np.ndarray], is_row_format: bool = True) -> object:
    return json.loads(write_predictions(outputs, is_row_format=is_row_format))


def test_rows_are_objects_and_columns_are_lists() -> None:
    outputs = {"class": CLASS, "probability": PROBABILITY}
    assert written(outputs) == {
        "predictions": [
            {"class": "no", "probability": 0.1},
            {"class": "größer", "probability": 0.9},
        ]
    }
    assert written(outputs, False) == {
        "outputs": {"class": ["no", "größer"], "probability": [0.1, 0.9]}
    }


def test_a_single_output_stands_without_its_name() -> None:
    assert written({"prediction": PROBABILITY}) == {"predictions": [0.1, 0.9]}
    assert written({"prediction": PROBABILITY}, False) == {"outputs": [0.1, 0.9]}


def test_outputs_with_several_values_are_lists() -> None:
    probabilities = np.array([[0.25, 0.75], [1, 0]], np.float32)[:, ::-1]
    classes = np.array([[b"b", b"a"]] * 2, object)
    assert written({"classes": classes, "probabilities": probabilities}) == {
        "predictions": [
            {"classes": ["b", "a"], "probabilities": [0.75, 0.25]},
            {"classes": ["b", "a"], "probabilities": [0.0, 1.0]},
        ]
    }


def test_numbers_that_json_lacks_are_written_as_tensorflow_serving_does() -> None:
    values = np.array([np.nan, np.inf, -np.inf], np.float32)
    body = write_predictions(
        {"prediction": values, "class": np.array([b"x"] * 3, object)}, is_row_format=False
    )
    assert b"[NaN, Infinity, -Infinity]" in body


def test_binary_outputs_are_base64() -> None:
    assert written({"hash_bytes": np.array([b"\0\xff"], object)}) == {
        "predictions": [{"b64": "AP8="}]
    }


def test_float32_has_the_digits_that_it_needs() -> None:
    assert write_predictions({"p": PROBABILITY}, is_row_format=True) == b'{"predictions":[0.1,0.9]}'
