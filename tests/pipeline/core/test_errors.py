"""Errors reach the user with their cause, their hint and their exit code."""

import pytest

from pipeline.core.errors import (
    ConfigError,
    ConfigMistakesError,
    DataError,
    PipelineError,
    as_pipeline_error,
)


def raised_from(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_a_pipeline_error_behind_others_is_shown_itself() -> None:
    cause = ConfigError("no such column", "name another")
    assert as_pipeline_error(raised_from(RuntimeError("node failed"), cause)) is cause


def test_a_pipeline_error_is_shown_and_not_its_cause() -> None:
    error = raised_from(DataError("the file is no table"), OSError("cut"))
    assert as_pipeline_error(error) is error


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (raised_from(RuntimeError("node failed"), KeyError("x")), "KeyError: 'x'"),
        (ValueError("bad\nTraceback ..."), "ValueError: bad"),
        (ValueError(), "ValueError: ValueError"),
    ],
)
def test_an_unforeseen_error_is_shown_with_its_type_and_exit_code_1(
    error: Exception, message: str
) -> None:
    shown = as_pipeline_error(error)
    assert (str(shown), shown.hint, shown.exit_code) == (message, "", 1)


def test_an_error_without_parts_is_its_only_part() -> None:
    error = PipelineError("lost", "find it")
    assert list(error.parts) == [error]


def test_mistakes_keep_their_own_hints_and_repeat_none() -> None:
    parts = [ConfigError("a", "mend it"), ConfigError("b"), ConfigError("c", "mend it")]
    error = ConfigMistakesError(parts)
    assert (error.message, error.hint, error.exit_code) == ("a\nb\nc", "mend it", 2)
    assert list(error.parts) == parts


@pytest.mark.parametrize("kind", [PipelineError, ConfigError, DataError])
def test_a_refusal_reads_back_from_its_file(kind: type[PipelineError]) -> None:
    error = PipelineError.from_json(kind("größe: no number", "remove it").to_json())
    assert (type(error), error.message, error.hint) == (kind, "größe: no number", "remove it")


def test_a_refusal_of_another_class_reads_back_with_its_exit_code() -> None:
    error = PipelineError.from_json(ConfigMistakesError([ConfigError("a", "mend it")]).to_json())
    assert (error.message, error.hint, error.exit_code) == ("a", "mend it", 2)
