"""What a worker says of its end, so that the supervisor knows the cause and whether to go on.

When one worker is lost, its peers fail too, each with an error of its own about the connection.
Those say nothing of the cause; an exception in the model's code or in the data does, and it would
be the same on every attempt.
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
"""TensorFlow's errors for a connection that ended; by name, since importing it takes seconds."""
_CONNECTION_WORDS = ("Could not start gRPC server", "Collective ops is aborted", "heartbeat")
"""In the messages of other TensorFlow errors whose cause is the connection all the same."""
_LIBRARIES = frozenset({"tensorflow", "tf_keras"})
_CUT = " ..."
_ERRORS = {error.exit_code: error for error in (ConfigError, DataError)}


@dataclass(frozen=True)
class Report:
    """The end of a worker that failed."""

    message: str
    hint: str = ""
    exit_code: int = 1
    """The exit code of the run, should this be the cause of its failure."""
    lost_peer: bool = False
    """Whether the worker only noticed that others were gone, or could not be reached."""
    of_machine: bool = False
    """Whether the machine is to blame, such as a full disk: with room again it would end well."""
    echo: bool = False
    """Whether another worker, which had the same error first, tells more of it."""

    @classmethod
    def of(cls, error: BaseException) -> Report:
        """The report on an exception that ended a worker."""
        if isinstance(error, PipelineError):
            echo, of_machine = isinstance(error, EchoError), is_machine_error(error)
            return cls(error.message, error.hint, error.exit_code, echo=echo, of_machine=of_machine)
        text = message_of(error) or f"no message{_place(error)}"
        told = f"{type(error).__name__}: {short_message(text)}"
        lost_peer = _is_lost_peer(error, text)
        return cls(told, lost_peer=lost_peer, of_machine=is_machine_error(error))

    @classmethod
    def from_json(cls, text: str) -> Report:
        """The report that `to_json` wrote."""
        return cls(**json.loads(text))

    def to_json(self, most_bytes: int | None = None) -> str:
        """The report as JSON; where it has to fit, its longer text loses as much of its end."""
        text = json.dumps(dataclasses.asdict(self))
        if most_bytes is None or len(text) <= most_bytes:
            return text
        longer = "message" if len(self.message) >= len(self.hint) else "hint"
        words = getattr(self, longer)
        kept = words[: len(words) * 9 // 10] + _CUT
        return dataclasses.replace(self, **{longer: kept}).to_json(most_bytes)

    def to_error(self) -> PipelineError:
        """The error to raise where the run is supervised."""
        return _ERRORS.get(self.exit_code, PipelineError)(self.message, self.hint)


def _place(error: BaseException) -> str:
    """The last line at work outside TensorFlow, whose own lines say nothing of what was asked."""
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if _LIBRARIES.isdisjoint(Path(frame.filename).parts)]
    return f", from {outside[-1].filename}, line {outside[-1].lineno}" if outside else ""


def _is_lost_peer(error: BaseException, text: str) -> bool:
    names = {base.__name__ for base in type(error).__mro__}
    if "OpError" not in names:
        return False
    return bool(names & _LOST_PEER) or any(words in text for words in _CONNECTION_WORDS)
