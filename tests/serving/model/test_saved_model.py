"""Loading and calling a SavedModel."""

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from pushed_models import MISSING_ROW, ROW

from pipeline.core.errors import ConfigError
from serving.model.saved_model import SavedModel
from serving.rows.request import read_rows


def test_both_signatures_predict(pushed: Path) -> None:
    model = SavedModel(str(pushed / "1"), threads=1)
    signature = model.signatures["serving_default"]
    assert [(t.name, t.dtype, t.width) for t in signature.inputs] == [
        ("count", "int64", 1),
        ("größe (cm)", "float32", 1),
        ("payment", "string", 1),
    ]
    assert [t.name for t in signature.outputs] == ["class", "probability"]
    assert signature.example_columns == ()
    assert model.signatures["serving_examples"].example_columns == signature.inputs
    rows = read_rows({"instances": [ROW, MISSING_ROW]}, signature)
    outputs = model.predict("serving_default", rows.blocks)
    np.testing.assert_allclose(outputs["probability"], [0.13, 0.7], atol=1e-6)
    assert outputs["class"].tolist() == [b"no", b"yes"]

    example = tf.train.Example()
    example.features.feature["count"].int64_list.value.append(2)
    blocks = [np.array([[example.SerializeToString()], [b""]], object)]
    outputs = model.predict("serving_examples", blocks)
    np.testing.assert_allclose(outputs["probability"], [0.02, 0.7], atol=1e-6)
    model.close()


def test_values_that_the_graph_refuses_are_a_value_error(pushed: Path) -> None:
    model = SavedModel(str(pushed / "1"), threads=1)
    with pytest.raises(ValueError, match="Could not parse example"):
        model.predict("serving_examples", [np.array([[b"\1\2\3"]], object)])
    model.close()


def save(directory: Path, spec: tf.TensorSpec, signature: str = "serving_default") -> str:
    module = tf.Module()
    module.f = tf.function(lambda x: {"y": tf.identity(x)}, input_signature=[spec])
    tf.saved_model.save(module, str(directory), {signature: module.f})
    return str(directory)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (tf.TensorSpec([None, 1], tf.float64, "x"), "cannot serve 'x': its type is float64"),
        (tf.TensorSpec([None, 3], tf.float32, "x"), r"its shape is not \[batch\] or \[batch, 1\]"),
        (tf.TensorSpec([None, 2, 2], tf.float32, "x"), "its shape is"),
        (tf.TensorSpec([5], tf.float32, "x"), "its shape is"),
    ],
)
def test_a_model_of_other_tensors_is_refused(
    spec: tf.TensorSpec, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=words):
        SavedModel(save(tmp_path, spec), threads=1)


def test_a_further_signature_that_cannot_be_served_is_left_out(tmp_path: Path) -> None:
    module = tf.Module()
    numbers, vectors = (tf.TensorSpec([None, width], tf.float32, "x") for width in (1, 3))
    module.f = tf.function(lambda x: {"y": tf.identity(x)}, input_signature=[numbers])
    module.g = tf.function(lambda x: {"y": tf.identity(x)}, input_signature=[vectors])
    signatures = {"serving_default": module.f, "network": module.g}
    tf.saved_model.save(module, str(tmp_path), signatures)
    model = SavedModel(str(tmp_path), threads=1)
    assert model.signatures.keys() == model.definitions.keys() == {"serving_default"}
    model.close()


def test_a_model_without_the_default_signature_is_refused(tmp_path: Path) -> None:
    spec = tf.TensorSpec([None, 1], tf.float32, "x")
    with pytest.raises(ConfigError, match="no signature serving_default"):
        SavedModel(save(tmp_path, spec, "other"), threads=1)


def test_a_damaged_file_is_refused(pushed: Path, serving: Path) -> None:
    (serving / "1" / "saved_model.pb").write_bytes(b"\x08")
    with pytest.raises(ConfigError, match=str(serving)):
        SavedModel(str(serving / "1"), threads=1)
