"""The serving check: asks the questions, compares the answers, and measures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from components.serving_check.bare_model import Array, BareModel, ModelLostError, RefusedError
from components.serving_check.blessing import describe_limit, describe_value
from components.serving_check.questions import (
    Question,
    UnservableError,
    make_questions,
    read_signatures,
)
from components.serving_check.sample import Sample
from pipeline.config import CheckConfig
from pipeline.core.events import CheckedRequest, Measurement, RequestOutcome, ServingCheckResult
from pipeline.core.text import counted
from serving.errors import RequestError

_BATCHES = (1, 64)
_CALLS = 200
"""Calls for each batch size: the third slowest call is the 99th percentile."""
_SECONDS = 1.0
"""The calls of a batch size end then, however few they are: a slow model makes no slow check."""
_MEGABYTE = 1_000_000

_KEYS = {
    "load": "load_seconds",
    "p99 of 1 row": "p99_milliseconds_1",
    "p99 of 64 rows": "p99_milliseconds_64",
    "peak memory": "memory_megabytes",
    "largest difference": "tolerance",
}
"""The key of `serving.check` that limits a measurement."""


def check_model(
    model: BareModel, directory: str, sample: Sample, config: CheckConfig
) -> ServingCheckResult:
    """Returns whether the model in `directory` can be served, and what was measured.

    A model that hangs, crashes or refuses is a result and raises no error.
    """
    check = _Check(model, sample, config)
    try:
        check.run(directory)
    except ModelLostError as lost:
        check.problems.append(f"the process {lost}, while it {check.doing}")
    except RefusedError as error:
        check.problems.append(f"TensorFlow alone {check.failing}: {error}")
    except UnservableError as error:
        check.problems.append(str(error))
    except RequestError as error:
        check.problems.append(f"the model does not take the configured features: {error.message}")
    return check.conclude()


class _Check:
    """A check at work, and what is known so far."""

    def __init__(self, model: BareModel, sample: Sample, config: CheckConfig) -> None:
        self._model = model
        self._sample = sample
        self._config = config
        self._answers: dict[str, Array] = {}
        self._differences: list[float] = []
        self._requests: list[CheckedRequest] = []
        self._measurements: list[Measurement] = []
        self.problems: list[str] = []
        self.doing = "loaded the model"
        self.failing = "cannot load the model"

    def run(self, directory: str) -> None:
        seconds, described = self._model.load(directory)
        self._add("load", seconds, "s")
        asked: Question | None = None
        for question in make_questions(*read_signatures(described), self._sample):
            self.doing = f"answered {_name(question)}"
            self._requests.append(self._ask(question))
            asked = asked or question
        assert asked is not None
        self.doing, self.failing = "answered one call after another", "failed in a repeated call"
        for rows in _BATCHES:
            times = self._model.measure(asked.signature, asked.inputs, rows, _CALLS, _SECONDS)
            for percent in (50, 99):
                value = float(np.percentile(times, percent))
                self._add(f"p{percent} of {counted(rows, 'row')}", value, "ms")

    def _ask(self, question: Question) -> CheckedRequest:
        """Returns the request with its outcome, and keeps the answer."""
        try:
            answer = self._model.predict(
                question.signature, question.inputs, self._sample.output, question.rows
            )
        except RefusedError as error:
            outcome: RequestOutcome = "refused" if question.may_refuse else "failed"
            problem = str(error)
        else:
            problem = "; ".join(self._judge(question, answer))
            outcome = "failed" if problem else "answered"
        if outcome == "failed":
            self.problems.append(f"{_name(question)}: {problem}")
        return CheckedRequest(question.name, question.signature, question.rows, outcome, problem)

    def _judge(self, question: Question, answer: Array) -> Iterator[str]:
        """Yields what is wrong with an answer."""
        shape = (question.rows, *self._sample.predictions.shape[1:])
        if answer.shape != shape:
            yield f"the answer has the shape {answer.shape}, not {shape}"
            return
        # Of each question that has no known answer, the first signature's answer.
        expected = self._answers.setdefault(question.name, answer)
        if question.expected is not None:
            expected = question.expected
        if wrong := np.count_nonzero(_by_row(~np.isfinite(answer)).any(axis=1)):
            yield f"NaN or an infinite number in {wrong:,} of {counted(len(answer), 'answer')}"
        elif answer.size:
            yield from self._compare(question, answer, expected)

    def _compare(self, question: Question, answer: Array, expected: Array) -> Iterator[str]:
        scale = float(np.abs(self._sample.predictions).max()) or 1.0
        differences = _by_row(np.abs(answer.astype(float) - expected)).max(axis=1)
        largest = float(differences.max()) / scale
        self._differences.append(largest)
        if not largest <= self._config.tolerance:
            other = "the Evaluator's" if question.expected is not None else "the other signature's"
            wrong = np.count_nonzero(differences > self._config.tolerance * scale)
            yield (
                f"{wrong:,} of {counted(len(answer), 'answer')} differ from {other}, "
                f"the worst by {largest:.4g} of the largest prediction"
            )

    def _add(self, name: str, value: float, unit: str) -> None:
        key = _KEYS.get(name)
        limit = getattr(self._config, key) if key else None
        measurement = Measurement(name, value, unit, limit)
        self._measurements.append(measurement)
        # The answers that differ are named already.
        if measurement.is_exceeded and name != "largest difference":
            self.problems.append(
                f"{name} is {describe_value(measurement)}, at most {describe_limit(measurement)} "
                f"is allowed (serving.check.{key})"
            )

    def conclude(self) -> ServingCheckResult:
        if self._model.peak_bytes:
            self._add("peak memory", self._model.peak_bytes / _MEGABYTE, "MB")
        if self._differences:
            self._add("largest difference", max(self._differences), "")
        return ServingCheckResult(
            passed=not self.problems,
            problems=tuple(self.problems),
            rows=len(self._sample.rows),
            requests=tuple(self._requests),
            measurements=tuple(self._measurements),
        )


def _by_row(values: Array) -> Array:
    """Returns the values as [rows, values of a row], also if there are no rows."""
    return values.reshape(len(values), int(np.prod(values.shape[1:])))


def _name(question: Question) -> str:
    return f"{question.name} ({question.signature})"
