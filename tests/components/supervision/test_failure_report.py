"""How an exception becomes a report, and which exceptions only say that a peer was lost."""

import errno

import pytest
import tensorflow as tf

from components.supervision.failure_report import FailureReport
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
def test_only_tensorflows_connection_errors_mean_a_lost_peer(
    error: Exception, lost_peer: bool
) -> None:
    assert FailureReport.from_exception(error).lost_peer is lost_peer


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
def test_a_full_disk_or_a_missing_permission_is_the_machines_fault(
    error: Exception, of_machine: bool
) -> None:
    text = FailureReport.from_exception(error).to_json()
    assert FailureReport.from_json(text).of_machine is of_machine


def test_a_pipeline_error_keeps_its_class_message_and_hint_in_json() -> None:
    original = ConfigError("model.units: too many", "lower it")
    text = FailureReport.from_exception(original).to_json()
    error = FailureReport.from_json(text).to_error()
    assert type(error) is ConfigError
    assert (error.message, error.hint) == ("model.units: too many", "lower it")


def test_any_other_exception_is_reported_by_its_class_and_first_line() -> None:
    error = FailureReport.from_exception(ValueError("bad layer\n  in graph")).to_error()
    assert type(error) is PipelineError
    assert str(error) == "ValueError: bad layer"


def test_an_exception_without_a_message_is_reported_with_its_file_and_line() -> None:
    code = compile("raise tf.errors.NotFoundError(None, None, '')", "/models/mine.py", "exec")
    with pytest.raises(tf.errors.NotFoundError) as caught:
        exec(code, {"tf": tf})
    report = FailureReport.from_exception(caught.value)
    assert report.message == "NotFoundError: no message, from /models/mine.py, line 1"


@pytest.mark.parametrize("text", ["a" * 9000, "\x1b" * 9000, "ä" * 5000])
def test_a_long_report_is_shortened_to_the_given_bytes(text: str) -> None:
    shortened = FailureReport(text, text, 3).to_json(4096)
    assert 3000 < len(shortened.encode()) <= 4096
    report = FailureReport.from_json(shortened)
    assert (report.exit_code, report.lost_peer) == (3, False)
    assert report.message.startswith(text[:100])
