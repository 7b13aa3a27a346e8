"""How a run ended: the one list of words, with the exit code and the tone of each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Literal

from pipeline.core.contracts import Node
from pipeline.core.errors import (
    WAITING,
    ConfigError,
    DataError,
    NotBlessedError,
    ServingCheckError,
    WithdrawnError,
)
from pipeline.core.processes import INTERRUPTED

Tone = Literal["good", "warn", "bad", "off"]
"""good: a model is served or ready; warn: the model is not served; bad: something broke; off: the
run is at work, or a person ended it. The colours of the page and of the terminal follow it."""


class Status(str, Enum):
    """The status of a run."""

    PUSHED = "pushed"
    UNCHANGED = "already served"
    TUNED = "tuned"
    SCHEMA = "schema"
    FAILED = "failed"
    MISCONFIGURED = "misconfigured"
    STOPPED = "stopped by the data gate"
    REFUSED = "data refused"
    """Another component than the gate refused rows, or a file that is no table."""
    NOT_BLESSED = "not blessed"
    CHECK_FAILED = "serving check failed"
    WAITING = "waiting"
    WITHDRAWN = "withdrawn"
    INTERRUPTED = "interrupted"
    RUNNING = "running"
    DIED = "died"
    """The command was killed, and could not write the outcome."""
    DAMAGED = "summary damaged"

    # Files and other programs hold the word: the word and the status are the same key.
    __str__ = str.__str__
    __hash__ = str.__hash__

    @property
    def exit_code(self) -> int | None:
        """The exit code of the command; None if nobody knows it."""
        return _MEANINGS[self][0]

    @property
    def tone(self) -> Tone:
        """Whether the ending is good."""
        return _MEANINGS[self][1]

    @classmethod
    def of(cls, exit_code: int, component: str | None = None) -> Status:
        """Returns the status of a run that ended with this exit code.

        Args:
          component: the component in which the run stopped, if it did.

        Raises:
          ValueError: no run ends with this exit code.
        """
        if exit_code == DataError.exit_code:
            return cls.STOPPED if component == Node.ANOMALY_GATE else cls.REFUSED
        for status in cls:
            if status.exit_code == exit_code:
                return status
        raise ValueError(f"no run ends with exit code {exit_code}")


_MEANINGS: Mapping[Status, tuple[int | None, Tone]] = {
    Status.PUSHED: (0, "good"),
    Status.UNCHANGED: (0, "good"),
    Status.TUNED: (0, "good"),
    Status.SCHEMA: (0, "good"),
    Status.FAILED: (1, "bad"),
    Status.MISCONFIGURED: (ConfigError.exit_code, "bad"),
    Status.STOPPED: (DataError.exit_code, "bad"),
    Status.REFUSED: (DataError.exit_code, "bad"),
    Status.NOT_BLESSED: (NotBlessedError.exit_code, "warn"),
    Status.CHECK_FAILED: (ServingCheckError.exit_code, "warn"),
    Status.WAITING: (WAITING, "good"),
    Status.WITHDRAWN: (WithdrawnError.exit_code, "warn"),
    Status.INTERRUPTED: (INTERRUPTED, "off"),
    Status.RUNNING: (None, "off"),
    Status.DIED: (None, "bad"),
    Status.DAMAGED: (None, "bad"),
}
"""The exit code and the tone of each status."""
