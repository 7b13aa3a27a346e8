"""The failures a user can mend, each with the exit code that tells a script which kind it was.

Anything else that escapes is a defect of ours (or of the machine) and ends with exit code 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class PipelineError(Exception):
    """A failure with a cause in one sentence and, where there is one, what to do about it.

    `str(error)` is the cause; `hint` is shown below it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message

    @property
    def parts(self) -> Sequence[PipelineError]:
        """What is told one by one, each with its own hint."""
        return (self,)


class EchoError(PipelineError):
    """What a worker saw of an error in another one, which tells more."""


class ConfigError(PipelineError):
    """The command line, the configuration, or what it points at, is wrong."""

    exit_code = 2


class ConfigMistakesError(ConfigError):
    """Several mistakes, none of which is the cause of another."""

    def __init__(self, parts: Sequence[ConfigError]) -> None:
        hints = dict.fromkeys(part.hint for part in parts if part.hint)
        super().__init__("\n".join(part.message for part in parts), "\n".join(hints))
        self._parts = tuple(parts)

    @property
    def parts(self) -> Sequence[PipelineError]:
        return self._parts


class DataError(PipelineError):
    """The data was refused: it cannot be read as a table, or the gate stopped it."""

    exit_code = 3


class NotBlessedError(PipelineError):
    """The candidate model missed a threshold and was not pushed."""

    exit_code = 4
