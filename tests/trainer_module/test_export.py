"""The SavedModel: its signatures and outputs, and a client without this project."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
import tensorflow as tf
from tiny_models import Trained
from tiny_run import Table, custom_config, to_example, transform

from components.tables.parquet.stored_types import cast_to_text
from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from pipeline.core.date_formats import TimeColumn
from serving.model.times_file import read_times
from trainer_module.input.examples import open_examples
from trainer_module.names import LABEL_KEY
from trainer_module.run import run_fn

pytestmark = pytest.mark.slow

_MISSING = {"int": MISSING_INT, "float": float("nan"), "string": MISSING_STRING}


_DTYPES = {"int": tf.int64, "float": tf.float32, "string": tf.string}


# Loads and queries the model without this project, as a client does.
_CLIENT = """
import json, sys
import tensorflow as tf
assert not any(name.split(".")[0] in ("trainer_module", "pipeline") for name in sys.modules)
request = json.load(sys.stdin)
signatures = tf.saved_model.load(request["model"]).signatures
columns = {
    name: tf.constant(values, getattr(tf, dtype))
    for name, (dtype, values) in request["columns"].items()
}
answers = [
    signatures["serving_default"](**columns),
    signatures["serving_examples"](tf.io.decode_base64(request["examples"])),
]
json.dump([{k: v.numpy().astype(str).tolist() for k, v in a.items()} for a in answers], sys.stdout)
"""


def raw_inputs(trained: Trained, table: Table, names: list[str]) -> dict[str, tf.Tensor]:
    return {
        name: tf.constant(
            [[_MISSING[trained.types[name]] if v is None else v] for v in table[name]],
            _DTYPES[trained.types[name]],
        )
        for name in names
    }


def served(trained: Trained, split: str = "eval") -> dict[str, Any]:
    signature = tf.saved_model.load(trained.model).signatures["serving_default"]
    inputs = raw_inputs(trained, trained.splits[split], trained.features)
    return {name: value.numpy() for name, value in signature(**inputs).items()}


def serialized(trained: Trained, table: Table) -> list[bytes]:
    count = len(table[trained.features[0]])
    rows = [{name: table[name][i] for name in trained.features} for i in range(count)]
    return [to_example(row, trained.types).SerializeToString() for row in rows]


def test_signatures_take_the_columns_by_their_exact_names(binary: Trained) -> None:
    signatures = tf.saved_model.load(binary.model).signatures
    assert set(signatures) == {
        "serving_default",
        "serving_examples",
        "transform_label",
        "network",
    }
    by_name = signatures["serving_default"].structured_input_signature[1]
    assert set(by_name) == set(binary.features)
    assert {name: spec.dtype for name, spec in by_name.items()} == {
        name: _DTYPES[binary.types[name]] for name in binary.features
    }
    assert list(signatures["transform_label"].structured_input_signature[1]) == ["label?"]


def test_the_model_tells_how_it_reads_times(binary: Trained) -> None:
    assert read_times(binary.model) == {"when?": TimeColumn("iso")}


def test_the_signature_definition_of_tensorflow_serving_has_the_same_names(
    binary: Trained,
) -> None:
    inputs = raw_inputs(binary, binary.splits["eval"], binary.features)
    arrays = {name: value.numpy() for name, value in inputs.items()}
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        loaded = tf.compat.v1.saved_model.load(session, ["serve"], binary.model)
        signature = loaded.signature_def["serving_default"]
        assert set(signature.inputs) == set(binary.features)
        feeds = {signature.inputs[name].name: values for name, values in arrays.items()}
        probability = session.run(signature.outputs["probability"].name, feeds)
    np.testing.assert_allclose(probability, served(binary)["probability"], atol=1e-6)


def test_every_input_reaches_its_own_feature(binary: Trained) -> None:
    """The number and the dtypes of inputs would not reveal two exchanged inputs of a dtype."""
    signature = tf.saved_model.load(binary.model).signatures["serving_examples"]
    for name in binary.features:
        table = {n: v if n == name else [None] * len(v) for n, v in binary.splits["eval"].items()}
        by_name = tf.saved_model.load(binary.model).signatures["serving_default"](
            **raw_inputs(binary, table, binary.features)
        )
        by_example = signature(tf.constant(serialized(binary, table)))
        np.testing.assert_allclose(
            by_name["probability"], by_example["probability"], atol=1e-6, err_msg=name
        )
        assert np.ptp(by_name["probability"]) > 0, name


def test_a_process_without_the_project_queries_both_signatures(binary: Trained) -> None:
    table = {name: values[:5] for name, values in binary.splits["eval"].items()}
    inputs = raw_inputs(binary, table, binary.features)
    request = {
        "model": binary.model,
        "columns": {
            name: [
                value.dtype.name,
                [[v.decode() if isinstance(v, bytes) else v] for v in value.numpy()[:, 0].tolist()],
            ]
            for name, value in inputs.items()
        },
        "examples": [
            text.decode() for text in tf.io.encode_base64(serialized(binary, table)).numpy()
        ],
    }
    answer = subprocess.run(
        [sys.executable, "-c", _CLIENT],
        input=json.dumps(request),
        cwd="/",
        env={"TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    by_name, by_example = json.loads(answer.stdout)
    assert by_name == by_example
    assert set(by_name) == {"probability", "class"}
    assert set(by_name["class"]) <= {"no", "yes"}


def test_served_predictions_equal_those_of_training(binary: Trained) -> None:
    """Training read the transformed rows; the served model gets the same rows raw."""
    probability = served(binary, "train")["probability"]
    labels = np.array(binary.splits["train"]["label?"]) == "yes"
    history = json.loads(Path(binary.fn_args.model_run_dir, "history.json").read_text())
    eval_labels = np.array(binary.splits["eval"]["label?"]) == "yes"
    eval_probability = served(binary)["probability"].astype(np.float64)
    log_loss = -np.log(np.where(eval_labels, eval_probability, 1 - eval_probability)).mean()
    best = history["epochs"][history["best_epoch"] - 1]
    assert log_loss == pytest.approx(best["eval_loss"], abs=1e-5)
    assert ((probability > 0.5) == labels).mean() > 0.8


def test_the_class_follows_from_the_probability(binary: Trained) -> None:
    outputs = served(binary)
    assert {n: (v.dtype.kind, v.shape) for n, v in outputs.items()} == {
        "probability": ("f", (240,)),
        "class": ("O", (240,)),
    }
    expected = np.where(outputs["probability"] >= 0.5, b"yes", b"no")
    assert outputs["class"].tolist() == expected.tolist()


def test_the_class_is_that_of_the_highest_probability(multiclass: Trained) -> None:
    outputs = served(multiclass)
    assert outputs["probabilities"].shape == outputs["classes"].shape == (240, 3)
    np.testing.assert_allclose(outputs["probabilities"].sum(axis=1), 1, atol=1e-5)
    assert outputs["classes"][7].tolist() == [b"a", b"b", b"c"]
    best = outputs["probabilities"].argmax(axis=1)
    assert outputs["class"].tolist() == [b"abc"[i : i + 1] for i in best]


def test_regression_predicts_in_the_unit_of_the_label(regression: Trained) -> None:
    prediction = served(regression)["prediction"]
    labels = np.array(regression.splits["eval"]["label?"])
    assert prediction.dtype == np.float32
    assert prediction.shape == (240,)
    assert prediction.mean() == pytest.approx(labels.mean(), rel=0.05)


@pytest.mark.parametrize(
    ("task", "raw", "encoded"),
    [
        ("binary", ["yes", "no", "else"], [1, 0, -1]),
        ("multiclass", ["c", "a", MISSING_STRING], [2, 0, -1]),
        ("regression", [1.5, -2.0], [1.5, -2.0]),
    ],
)
def test_labels_are_encoded_for_the_evaluator(
    task: str, raw: list[Any], encoded: list[Any], request: pytest.FixtureRequest
) -> None:
    trained: Trained = request.getfixturevalue(task)
    signature = tf.saved_model.load(trained.model).signatures["transform_label"]
    output = signature(**{"label?": tf.constant([[value] for value in raw])})
    assert list(output) == [LABEL_KEY]
    assert output[LABEL_KEY].numpy()[:, 0].tolist() == encoded
    assert output[LABEL_KEY].dtype == (tf.float32 if task == "regression" else tf.int64)


def test_training_reads_the_same_encoded_labels(binary: Trained) -> None:
    spec = {LABEL_KEY: tf.io.FixedLenFeature([1], tf.int64)}
    examples = open_examples(binary.fn_args.train_files, spec)
    expected = [int(label == "yes") for label in binary.splits["train"]["label?"]]
    assert sorted(examples.labels.tolist()) == sorted(expected)


_FIRST = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
_INSTANTS = [_FIRST + dt.timedelta(hours=7 * i) for i in range(1200)]
_AROUND_CHANGES = [
    dt.datetime(2026, month, day, hour, 30, tzinfo=dt.timezone.utc)
    for month, day in ((3, 28), (3, 29), (7, 1), (10, 25), (12, 31))
    for hour in range(24)
]
_OFFSETS = [dt.timezone(dt.timedelta(minutes=m)) for m in (0, 120, -300, 330)]


def train_on_hours(
    root: Path, texts: list[str], is_late: list[bool], zone: str
) -> Callable[[list[str]], Any]:
    """Returns what answers times through both signatures, of a model of the hour alone."""
    table = {"at": texts, "label?": ["yes" if late else "no" for late in is_late]}
    types = {"at": "string", "label?": "string"}
    features = {"at": {"kind": "timestamp", "zone": zone, "parts": ["hour"]}}
    label = {"column": "label?", "task": "binary", "classes": ["no", "yes"]}
    fn_args = transform(
        root, {"train": table, "eval": table}, custom_config(features, label), types
    )
    run_fn(fn_args)
    signatures = tf.saved_model.load(str(fn_args.serving_model_dir)).signatures

    def ask(texts: list[str]) -> np.ndarray[Any, Any]:
        examples = [to_example({"at": text}, types).SerializeToString() for text in texts]
        by_name = signatures["serving_default"](at=tf.constant([[text] for text in texts]))
        by_example = signatures["serving_examples"](tf.constant(examples))
        np.testing.assert_array_equal(by_name["probability"], by_example["probability"])
        return by_name["probability"].numpy().ravel()

    return ask


def test_a_time_means_the_same_in_a_parquet_file_and_in_every_served_form(tmp_path: Path) -> None:
    """The label follows the hour of Berlin, summer and winter."""
    berlin = ZoneInfo("Europe/Berlin")
    stored = cast_to_text(pa.array(_INSTANTS, pa.timestamp("s", "Europe/Berlin"))).to_pylist()
    late = [m.astimezone(berlin).hour >= 12 for m in _INSTANTS]
    ask = train_on_hours(tmp_path, stored, late, "Europe/Berlin")
    wanted = ask([m.astimezone(berlin).replace(tzinfo=None).isoformat() for m in _AROUND_CHANGES])
    for zone in (berlin, *_OFFSETS):
        written = [m.astimezone(zone).isoformat() for m in _AROUND_CHANGES]
        np.testing.assert_array_equal(ask(written), wanted)
    zulu = [f"{m:%Y-%m-%dT%H:%M:%S}Z" for m in _AROUND_CHANGES]
    np.testing.assert_array_equal(ask(zulu), wanted)
    compact = [f"{m.astimezone(_OFFSETS[3]):%Y-%m-%d %H:%M%z}" for m in _AROUND_CHANGES]
    assert compact[0].endswith("+0530")
    np.testing.assert_array_equal(ask(compact), wanted)
    # The model has learned the hour of Berlin, and not that of UTC.
    is_late = np.array([m.astimezone(berlin).hour >= 12 for m in _AROUND_CHANGES])
    assert ((wanted > 0.5) == is_late).mean() > 0.9


def test_without_a_zone_both_signatures_take_no_time_with_an_offset(tmp_path: Path) -> None:
    texts = [m.replace(tzinfo=None).isoformat() for m in _INSTANTS]
    ask = train_on_hours(tmp_path, texts, [m.hour >= 12 for m in _INSTANTS], "none")
    plain = ask([m.replace(tzinfo=None).isoformat() for m in _AROUND_CHANGES])
    assert ((plain > 0.5) == [m.hour >= 12 for m in _AROUND_CHANGES]).mean() > 0.9
    # In batches of one size, whose last bits are equal on every processor.
    missing = ask([MISSING_STRING] * len(_AROUND_CHANGES))
    for zone in _OFFSETS:
        written = [m.astimezone(zone).isoformat() for m in _AROUND_CHANGES]
        np.testing.assert_array_equal(ask(written), missing)
