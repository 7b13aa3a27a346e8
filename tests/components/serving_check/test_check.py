"""Models that are honest, and models that are not, each asked by a real process."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import made_models
import pytest
import tensorflow as tf
from made_models import honest, make_sample, save

from components.serving_check.bare_model import BareModel
from components.serving_check.check import check_model
from pipeline.config import CheckConfig
from pipeline.core.contracts import MISSING_INT, MISSING_STRING
from pipeline.core.events import ServingCheckResult


@pytest.fixture(scope="module")
def model() -> Iterator[BareModel]:
    """A process for all models that leave it alive: TensorFlow takes seconds to import."""
    with BareModel(300) as process:
        yield process


def check(model: BareModel, directory: Path, **limits: Any) -> ServingCheckResult:
    return check_model(model, str(directory), make_sample(), CheckConfig(**limits))


def test_an_honest_model_answers_every_request(model: BareModel, tmp_path: Path) -> None:
    result = check(model, save(tmp_path / "model", honest))
    assert result.passed, result.problems
    asked = [(each.name, each.signature, each.rows) for each in result.requests]
    for signature, form in (("serving_default", "JSON rows"), ("serving_examples", "tf.Examples")):
        assert [(name, rows) for name, of, rows in asked if of == signature][-7:] == [
            (f"real rows as {form}", 20),
            ("a batch of one", 1),
            ("a batch of 10,000 rows", 10_000),
            ("missing values", 4),
            ("unknown categories", 16),
            ("no rows", 0),
            ("a wrong type", 1),
        ]
    assert asked[0] == ("real rows as JSON columns", "serving_default", 20)
    refused = [each.name for each in result.requests if each.outcome == "refused"]
    assert set(refused) == {"a wrong type"}
    found = {each.name: each for each in result.measurements}
    assert 0 < found["load"].value < 120
    assert 0 < found["p50 of 1 row"].value <= found["p99 of 1 row"].value
    assert 0 < found["p50 of 64 rows"].value <= found["p99 of 64 rows"].value
    assert 100 < found["peak memory"].value < 16_000
    assert found["largest difference"].value < 1e-6


def nan_where_missing(size: Any, count: Any, payment: Any) -> Any:
    return honest(tf.zeros_like(size), count, payment) + 0 * size


def other_values(size: Any, count: Any, payment: Any) -> Any:
    return honest(size, count, payment) + tf.where(payment == "Cash", 0.02, 0.0)


def refuses_one_row(size: Any, count: Any, payment: Any) -> Any:
    with tf.control_dependencies([tf.debugging.assert_greater(tf.size(size), 1)]):
        return honest(size, count, payment)


@pytest.mark.parametrize(
    ("predict", "problem"),
    [
        (nan_where_missing, r"missing values \(serving_default\): NaN or an infinite number in 2"),
        (other_values, r"JSON rows \(serving_default\): 5 of 20 answers differ from the Evaluator"),
        (refuses_one_row, r"a batch of one \(serving_default\): InvalidArgumentError"),
        (lambda *columns: honest(*columns)[:1], r"has the shape \(1,\), not \(20,\)"),
    ],
)
def test_a_wrong_answer_is_a_problem_that_names_the_request(
    model: BareModel, tmp_path: Path, predict: made_models.Predict, problem: str
) -> None:
    result = check(model, save(tmp_path / "model", predict))
    assert not result.passed
    assert any(re.search(problem, each) for each in result.problems), result.problems
    assert any(each.outcome == "failed" for each in result.requests)


def allocate(size: Any, count: Any, payment: Any) -> Any:
    """Takes 240 MB for a call."""
    large = tf.range(60_000_000 + tf.size(size))
    return honest(size, count, payment) + tf.where(tf.reduce_max(large) < 0, 1.0, 0.0)


def test_limits_of_time_and_memory_are_kept(model: BareModel, tmp_path: Path) -> None:
    honest_model = save(tmp_path / "honest", honest)
    before = check(model, honest_model)
    most = model.peak_bytes / 1e6 + 100
    large = save(tmp_path / "large", allocate)
    result = check(model, large, memory_megabytes=most, p99_milliseconds_1=20)
    assert [problem.partition(" is ")[0] for problem in result.problems] == [
        "p99 of 1 row",
        "peak memory",
    ]
    assert "at most 20 ms is allowed (serving.check.p99_milliseconds_1)" in result.problems[0]
    exceeded = {each.name for each in result.measurements if each.is_exceeded}
    assert exceeded == {"p99 of 1 row", "peak memory"}
    assert before.passed
    assert not check(model, honest_model, load_seconds=1e-6).passed
    assert not check(model, honest_model, p99_milliseconds_64=1e-6).passed


def test_a_model_that_cannot_be_loaded_or_asked_is_a_result(
    model: BareModel, tmp_path: Path
) -> None:
    alone = save(tmp_path / "alone", honest, examples=False)
    assert check(model, alone).problems == ("the model has no signature serving_examples",)
    broken = save(tmp_path / "broken", honest)
    (broken / "saved_model.pb").write_bytes(b"broken")
    [problem] = check(model, broken).problems
    assert problem.startswith("TensorFlow alone cannot load the model: ")
    sample = make_sample()
    for row in sample.rows:
        row.pop("count")  # type: ignore[attr-defined]
    directory = str(save(tmp_path / "other", honest))
    [problem] = check_model(model, directory, sample, CheckConfig()).problems
    assert "missing column 'count'" in problem


def exit_if_missing(size: Any, count: Any, payment: Any) -> Any:
    def leave() -> Any:
        with tf.control_dependencies([tf.raw_ops.Abort(exit_without_error=True)]):
            return tf.constant(0.0)

    nothing = tf.math.is_nan(size) & (count == MISSING_INT) & (payment == MISSING_STRING)
    zero = tf.cond(tf.reduce_any(nothing), leave, lambda: tf.constant(0.0))
    return honest(size, count, payment) + zero


def test_a_model_that_ends_the_process_is_a_result(tmp_path: Path) -> None:
    with BareModel(300) as process:
        result = check(process, save(tmp_path / "model", exit_if_missing))
    [problem] = result.problems
    assert "the process ended " in problem
    assert problem.endswith("while it answered missing values (serving_default)")
    assert [each.outcome for each in result.requests] == ["answered"] * 4
    assert [each.name for each in result.measurements] == [
        "load", "peak memory", "largest difference",
    ]  # fmt: skip
