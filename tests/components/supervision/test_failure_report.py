"""Which errors of a worker are a cause, and which the echo of another's end."""

import errno

import pytest
import tensorflow as tf

from components.supervision.failure_report import Report
from pipeline.core.errors import ConfigError, DataError, PipelineError


@pytest.mark.parametrize(
    ("error", "lost_peer"),
    [
        (tf.errors.UnavailableError(None, None, "Collective ops is aborted by: gone"), True),
        (tf.errors.AbortedError(None, None, "cancelled"), True),
        (tf.errors.UnknownError(None, None, "Could not start gRPC server"), True),
        (tf.errors.InternalError(None, None, "stopped sending heartbeats"), True),
        (tf.errors.InvalidArgumentError(None, None, "shapes differ"), False),
        (ValueError("Collective ops is aborted"), False),
        (ConfigError("no such layer"), False),
    ],
)
def test_kinds_of_errors(error: Exception, lost_peer: bool) -> None:
    assert Report.of(error).lost_peer is lost_peer


@pytest.mark.parametrize(
    ("error", "of_machine"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), True),
        (PermissionError(errno.EACCES, "Permission denied", "ckpt"), True),
        (tf.errors.ResourceExhaustedError(None, None, "ckpt; No space left on device"), True),
        (tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor"), False),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), False),
        (FileNotFoundError(errno.ENOENT, "No such file or directory"), False),
        (DataError("t.csv:7: 'Permission denied' is not a number"), False),
        (ValueError("shapes differ"), False),
    ],
)
def test_faults_of_the_machine(error: Exception, of_machine: bool) -> None:
    assert Report.from_json(Report.of(error).to_json()).of_machine is of_machine


def test_an_error_for_the_user_comes_back_as_it_was() -> None:
    report = Report.from_json(Report.of(ConfigError("model.units: too many", "lower it")).to_json())
    error = report.to_error()
    assert type(error) is ConfigError
    assert (error.message, error.hint) == ("model.units: too many", "lower it")


def test_any_other_error_is_told_by_its_first_line() -> None:
    error = Report.of(ValueError("bad layer\n  in graph")).to_error()
    assert type(error) is PipelineError
    assert str(error) == "ValueError: bad layer"


def test_an_error_without_a_text_is_told_with_its_place() -> None:
    code = compile("raise tf.errors.NotFoundError(None, None, '')", "/models/mine.py", "exec")
    with pytest.raises(tf.errors.NotFoundError) as caught:
        exec(code, {"tf": tf})
    report = Report.of(caught.value)
    assert report.message == "NotFoundError: no message, from /models/mine.py, line 1"
