"""What a failed worker reports, so that the supervisor finds the cause and decides on a restart.

When one worker is lost, its peers fail too, each with a connection error. These errors do not tell
the cause. An exception in the model's code or in the data does, and every attempt would raise the
same exception again.
"""

from __future__ import annotations

import dataclasses
import json
import traceback
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.error_causes import is_machine_error
from pipeline.core.errors import ConfigError, DataError, EchoError, PipelineError
from pipeline.core.text import message_of, short_message

_LOST_PEER = frozenset(
    {"AbortedError", "CancelledError", "DeadlineExceededError", "UnavailableError"}
)
"""TensorFlow's errors for a lost connection. By name, since importing TensorFlow takes seconds."""
_CONNECTION_WORDS = ("Could not start gRPC server", "Collective ops is aborted", "heartbeat")
"""Texts of other TensorFlow errors that a lost connection causes as well."""
_LIBRARIES = frozenset({"tensorflow", "tf_keras"})
_CUT = " ..."
_ERRORS = {error.exit_code: error for error in (ConfigError, DataError)}


@dataclass(frozen=True)
class FailureReport:
    """Why a worker failed."""

    message: str
    hint: str = ""
    exit_code: int = 1
    """The exit code of the run if this failure is its cause."""
    lost_peer: bool = False
    """Whether the worker only lost the connection to a peer."""
    of_machine: bool = False
    """Whether the machine is the cause, such as a full disk: the same run may succeed later."""
    echo: bool = False
    """Whether another worker raised this error first; its report has the details."""

    @classmethod
    def from_exception(cls, error: BaseException) -> FailureReport:
        """Returns the report on an exception that ended a worker."""
        if isinstance(error, PipelineError):
            echo, of_machine = isinstance(error, EchoError), is_machine_error(error)
            return cls(error.message, error.hint, error.exit_code, echo=echo, of_machine=of_machine)
        text = message_of(error) or f"no message{_describe_place(error)}"
        message = f"{type(error).__name__}: {short_message(text)}"
        lost_peer = _is_lost_peer(error, text)
        return cls(message, lost_peer=lost_peer, of_machine=is_machine_error(error))

    @classmethod
    def from_json(cls, text: str) -> FailureReport:
        """Returns the report that `to_json` wrote.

        Raises:
          ValueError: the text is no JSON.
          TypeError: the text is JSON of something else.
        """
        return cls(**json.loads(text))

    def to_json(self, most_bytes: int | None = None) -> str:
        """Returns the report as ASCII JSON of at most `most_bytes`, if given.

        While the JSON is too long, the longer of message and hint loses a tenth at its end.
        """
        text = json.dumps(dataclasses.asdict(self))
        if most_bytes is None or len(text) <= most_bytes:
            return text
        longer = "message" if len(self.message) >= len(self.hint) else "hint"
        words = getattr(self, longer)
        kept = words[: len(words) * 9 // 10] + _CUT
        return dataclasses.replace(self, **{longer: kept}).to_json(most_bytes)

    def to_error(self) -> PipelineError:
        """Returns the error to raise in the supervising process, of the class of `exit_code`."""
        return _ERRORS.get(self.exit_code, PipelineError)(self.message, self.hint)


def _describe_place(error: BaseException) -> str:
    """Returns the innermost traceback line outside TensorFlow, as `, from FILE, line N`.

    Lines inside TensorFlow do not tell which line of the model's code failed.
    """
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if _LIBRARIES.isdisjoint(Path(frame.filename).parts)]
    return f", from {outside[-1].filename}, line {outside[-1].lineno}" if outside else ""


def _is_lost_peer(error: BaseException, text: str) -> bool:
    """Whether a TensorFlow error only says that a connection was lost."""
    names = {base.__name__ for base in type(error).__mro__}
    if "OpError" not in names:
        return False
    return bool(names & _LOST_PEER) or any(words in text for words in _CONNECTION_WORDS)
