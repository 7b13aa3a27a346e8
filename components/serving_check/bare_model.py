"""Starts the program of `bare_process.py` and asks it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from pipeline.core.processes import forward_output
from pipeline.core.text import printable, short_message

Array = npt.NDArray[Any]

_PROGRAM = Path(__file__).with_name("bare_process.py")
_NOT_IMPORTABLE = (
    "pipeline", "components", "trainer_module", "serving", "tfx", "tensorflow_transform",
    "tf_keras", "keras",
)  # fmt: skip
"""A server of TensorFlow alone lacks these; TensorFlow itself imports Keras if it can."""
COMMAND = (sys.executable, "-I", str(_PROGRAM))
"""-I: no variable of Python and no directory but those of the installed packages."""
_OUTPUT_SECONDS = 1.0
"""How long an ended process's last lines are waited for."""
_LEFT_OUT = ("TF_USE_LEGACY_KERAS", "TF_CONFIG")
"""Variables that the components of a run set for themselves."""


class ModelLostError(Exception):
    """The process ended, or the time was over; the message says how, after "the process"."""


class RefusedError(Exception):
    """The model, or TensorFlow, answered with an error; the message is the error's first line."""


@dataclass(frozen=True)
class Column:
    """Values of one input: as many as there are rows in the request."""

    dtype: str
    """float32, int64 or string."""
    values: Array
    """float32 or int64 [n], or bytes as objects [n]."""
    is_column: bool = True
    """Whether the signature takes the values as [n, 1]."""

    def to_json(self) -> dict[str, Any]:
        values = self.values.tolist()
        if self.dtype == "string":
            values = [value.decode("latin-1") for value in values]
        return {"dtype": self.dtype, "values": values, "is_column": self.is_column}


Inputs = Mapping[str, Column]


@dataclass(frozen=True)
class _Started:
    """A process of the program, which no BareModel has taken yet."""

    command: Sequence[str]
    process: subprocess.Popen[bytes]
    replies: IO[bytes]


_ahead: list[_Started] = []
"""At most one process."""


def start_ahead(command: Sequence[str] = COMMAND) -> None:
    """Starts a process for the next BareModel, unless one waits for it already.

    The process imports TensorFlow during the work before the check.
    """
    if not _ahead:
        _ahead.append(_start(command))


def end_ahead() -> None:
    """Ends the process that no BareModel took, if there is one."""
    if _ahead:
        started = _ahead.pop()
        started.process.kill()
        started.process.wait()
        _close(started.process, started.replies)
        assert started.process.stdout is not None
        started.process.stdout.close()


def _take_ahead(command: Sequence[str]) -> _Started | None:
    """Returns a process that was started with `command` and still runs, or None."""
    for started in _ahead:
        if started.command == command and started.process.poll() is None:
            _ahead.remove(started)
            return started
    return None


def _start(command: Sequence[str]) -> _Started:
    receive, send = os.pipe()
    variables = {name: v for name, v in os.environ.items() if name not in _LEFT_OUT}
    try:
        process = subprocess.Popen(
            [*command, str(send), *_NOT_IMPORTABLE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(send,),
            env=variables,
        )
    except BaseException:
        os.close(receive)
        raise
    finally:
        os.close(send)
    return _Started(command, process, os.fdopen(receive, "rb"))


def _close(process: subprocess.Popen[bytes], replies: IO[bytes]) -> None:
    """Closes the pipes of an ended process."""
    replies.close()
    assert process.stdin is not None
    # Closing flushes what the process never read, and its pipe is broken by now.
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


class BareModel:
    """A SavedModel in a process of its own, which ends with the `with` statement.

    TensorFlow is imported while the caller prepares its questions, or since `start_ahead`. The
    process also ends when this process ends, and when `seconds` are over: then the next reply is a
    ModelLostError.
    """

    def __init__(self, seconds: float, command: Sequence[str] = COMMAND) -> None:
        self._seconds = seconds
        self._command = command
        self._is_late = False
        self._timer = threading.Timer(seconds, self._end_late_process)
        self.peak_bytes = 0
        """The most memory that the process has had."""

    def __enter__(self) -> BareModel:
        started = _take_ahead(self._command) or _start(self._command)
        self._process, self._replies = started.process, started.replies
        # TensorFlow's lines may hold names of columns; this process makes its log printable.
        assert self._process.stdout is not None
        self._output = threading.Thread(
            target=forward_output, args=(self._process.stdout, "serving check"), daemon=True
        )
        self._output.start()
        self.limit_time(self._seconds)
        return self

    def __exit__(self, *unused: object) -> None:
        self._timer.cancel()
        self._process.kill()
        self._process.wait()
        self._output.join(_OUTPUT_SECONDS)
        _close(self._process, self._replies)

    def limit_time(self, seconds: float) -> None:
        """Ends the process after so many seconds from now, instead of the limit before."""
        self._timer.cancel()
        self._seconds = seconds
        self._timer = threading.Timer(seconds, self._end_late_process)
        self._timer.daemon = True
        self._timer.start()

    def _end_late_process(self) -> None:
        self._is_late = True
        self._process.kill()

    def load(self, directory: str) -> tuple[float, Mapping[str, Any]]:
        """Loads the SavedModel.

        Returns:
          The seconds it took, without the import of TensorFlow; and for each signature the types
          and shapes of its `inputs` and `outputs`.

        Raises:
          RefusedError: TensorFlow cannot load the model.
          ModelLostError: the process ended.
        """
        reply, _ = self._ask({"do": "load", "directory": directory})
        return reply["seconds"], reply["signatures"]

    def predict(self, signature: str, inputs: Inputs, output: str, rows: int) -> Array:
        """Returns an output for `rows` rows: those of `inputs`, again and again if need be.

        Raises:
          RefusedError: the model cannot answer.
          ModelLostError: the process ended.
        """
        command = {"do": "predict", "output": output}
        return self._ask(command | _to_command(signature, inputs, rows))[1]

    def measure(
        self, signature: str, inputs: Inputs, rows: int, calls: int, seconds: float
    ) -> Array:
        """Returns the milliseconds of calls of `rows` rows each, float64 [number of calls].

        There are `calls` of them, or fewer if they take more than `seconds`.

        Raises:
          RefusedError: the model cannot answer.
          ModelLostError: the process ended.
        """
        command = {"do": "measure", "calls": calls, "seconds": seconds}
        return self._ask(command | _to_command(signature, inputs, rows))[1]

    def _ask(self, command: Mapping[str, Any]) -> tuple[Mapping[str, Any], Array]:
        assert self._process.stdin is not None
        # A broken pipe means that the process has ended: there will be no reply.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(command).encode() + b"\n")
            self._process.stdin.flush()
        line = self._replies.readline()
        reply: dict[str, Any] = json.loads(line) if line.endswith(b"\n") else {"bytes": 1}
        packed = self._replies.read(reply["bytes"])
        if len(packed) < reply["bytes"]:
            raise ModelLostError(self._explain_end())
        self.peak_bytes = reply["peak_bytes"]
        if "error" in reply:
            raise RefusedError(printable(short_message(reply["error"])))
        array = np.load(io.BytesIO(packed), allow_pickle=False) if packed else np.empty(0)
        return reply, array

    def _explain_end(self) -> str:
        code = self._process.wait()
        if self._is_late:
            return f"did not answer before the time limit of {self._seconds:g} s was over"
        if code >= 0:
            return f"ended with exit code {code}"
        name = signal.Signals(-code).name
        memory = ": the machine may have run out of memory" if name == "SIGKILL" else ""
        return f"ended by {name}{memory}"


def _to_command(signature: str, inputs: Inputs, rows: int) -> dict[str, Any]:
    columns = {name: column.to_json() for name, column in inputs.items()}
    return {"signature": signature, "inputs": columns, "rows": rows}
