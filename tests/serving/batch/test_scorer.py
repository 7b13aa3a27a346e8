from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf

from pipeline.core.errors import ConfigError
from serving.batch.scorer import Scorer


class _Multiclass(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None, 1], tf.float32, "x")])
    def predict(self, x: tf.Tensor) -> dict[str, tf.Tensor]:
        probabilities = tf.concat([x, 1 - x], 1)
        classes = tf.repeat(tf.constant([["red", "blüe"]]), tf.shape(x)[0], axis=0)
        chosen = tf.gather(["red", "blüe"], tf.argmax(probabilities, axis=1))
        return {"probabilities": probabilities, "classes": classes, "class": chosen}


@pytest.fixture(scope="module")
def multiclass(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("multiclass")
    model = _Multiclass()
    tf.saved_model.save(model, str(directory), {"serving_default": model.predict})
    return directory


def test_each_class_has_a_column_of_its_name(multiclass: Path) -> None:
    scorer = Scorer(str(multiclass), 1)
    assert scorer.output_names == ["class", "probability_red", "probability_blüe"]
    scored = scorer.score({"x": pa.array([0.25, 0.75], pa.float32())})
    assert scored["class"].to_pylist() == ["blüe", "red"]
    assert scored["probability_blüe"].to_pylist() == [0.75, 0.25]
    empty = scorer.score({"x": pa.array([], pa.float32())})
    assert {n: a.type for n, a in empty.items()} == {n: a.type for n, a in scored.items()}
    scorer.close()


def test_missing_values_reach_the_model_as_the_server_sends_them(pushed: Path) -> None:
    scorer = Scorer(str(pushed / "1"), 1)
    columns = {
        "größe (cm)": pa.array([None, 1.0], pa.float32()),
        "count": pa.array([None, 2], pa.int64()),
        "payment": pa.array([None, "Cash"]),
    }
    arrays = scorer.make_arrays(columns)
    assert np.isnan(arrays["größe (cm)"][0, 0])
    assert arrays["count"][0, 0] == -(2**63)
    assert arrays["payment"].tolist() == [[b"__MISSING__"], [b"Cash"]]
    assert scorer.score(columns)["probability"].to_pylist() == pytest.approx([0.7, 0.13])
    assert scorer.types == {"größe (cm)": "float32", "count": "int64", "payment": "string"}


def test_a_directory_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        Scorer(str(tmp_path), 1)
