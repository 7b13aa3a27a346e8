"""Errors that a user can correct, each with the exit code that tells a script its kind.

Every other exception that ends a run is a defect of this project or of the machine; the exit code
is then 1.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from pipeline.core.text import message_of, short_message

REFUSAL_FILE = "refusal.json"
"""Name of the file in which a Beam worker leaves an error for the process of the run.

Beam's runners pass on at most the text of an exception, with their own words around it, and engines
repeat the work of a worker that raised one. The file is in a directory that all workers share.
"""

NOTE_FILE = "note.txt"
"""Name of the file in which a Beam worker leaves a sentence that is no error, in the same way."""

AFTER_WITHDRAWAL = (
    "`promote` makes the version current again; a run with other data or other settings pushes"
)
"""The hint after a run that made a withdrawn model."""
WAITING = 6
"""The exit code of a run whose model waits for `promote`: no error, but no push either."""


class PipelineError(Exception):
    """A failure whose cause is told in one sentence, with a hint at what to do about it.

    `str(error)` is the cause. `hint` is shown below it, and may be empty.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message

    def to_json(self) -> str:
        """Returns the content of a `REFUSAL_FILE`."""
        kind = next(kind for kind in type(self).__mro__ if kind in _kinds().values())
        return json.dumps({"kind": kind.__name__, "message": self.message, "hint": self.hint})

    @staticmethod
    def from_json(text: str) -> PipelineError:
        """Returns the error that `to_json` wrote."""
        fields = json.loads(text)
        return _kinds()[fields["kind"]](fields["message"], fields["hint"])

    @property
    def parts(self) -> Sequence[PipelineError]:
        """The errors to show one by one, each with its own hint."""
        return (self,)


class EchoError(PipelineError):
    """A worker's view of an error that another worker reports in more detail."""


class DivergenceError(PipelineError):
    """A training lost its weights: the loss became NaN or infinite."""


class EchoedDivergenceError(DivergenceError, EchoError):
    """The same divergence, as a worker sees it that did not have the first bad loss."""


class ConfigError(PipelineError):
    """The command line, the configuration, or a file that either names, is wrong."""

    exit_code = 2


class ConfigMistakesError(ConfigError):
    """Several independent mistakes in one configuration."""

    def __init__(self, parts: Sequence[ConfigError]) -> None:
        hints = dict.fromkeys(part.hint for part in parts if part.hint)
        super().__init__("\n".join(part.message for part in parts), "\n".join(hints))
        self._parts = tuple(parts)

    @property
    def parts(self) -> Sequence[PipelineError]:
        """The mistakes."""
        return self._parts


class DataError(PipelineError):
    """The data was refused: it cannot be read as a table, or the gate stopped it."""

    exit_code = 3


class NotBlessedError(PipelineError):
    """The candidate model missed a threshold and was not pushed.

    On Kubeflow, the Pusher's task raises it. In a local run nothing raises it, because a missed
    threshold is an outcome and no failure: `RunEnded` takes the exit code from here.
    """

    exit_code = 4


class ServingCheckError(PipelineError):
    """The candidate model failed the serving check and was not pushed.

    On Kubeflow, the Pusher's task raises it; in a local run it is an outcome, as NotBlessedError.
    """

    exit_code = 5


class WithdrawnError(PipelineError):
    """A rollback withdrew the model that the run made, so the run did not push it again.

    On Kubeflow, the Pusher's task raises it; in a local run nothing does, as with NotBlessedError.
    """

    exit_code = 7


def _kinds() -> dict[str, type[PipelineError]]:
    """Returns the classes whose errors a `REFUSAL_FILE` can hold, by name."""
    return {kind.__name__: kind for kind in (PipelineError, ConfigError, DataError)}


def as_pipeline_error(error: BaseException) -> PipelineError:
    """Returns the error to show the user for any exception.

    That is the first PipelineError in the chain of `__cause__`. Without one, it is a new
    PipelineError that gives the type and a short message of the first cause.
    """
    while error.__cause__ is not None and not isinstance(error, PipelineError):
        error = error.__cause__
    if isinstance(error, PipelineError):
        return error
    name = type(error).__name__
    return PipelineError(f"{name}: {short_message(message_of(error) or name)}")
