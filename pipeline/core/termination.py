"""What a process that imports TensorFlow has to mind, here as in a container of Kubeflow."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from pipeline.core.errors import PipelineError
from pipeline.core.text import printable_lines, shortened, words_of

INTERRUPTED = 130


class _PrintableLog(io.TextIOWrapper):
    """The log: TensorFlow writes names of columns as they are, and people print logs on screens."""

    def write(self, text: str) -> int:
        return super().write(printable_lines(text))


def write_to_log() -> None:
    """From now on, all that is printed goes to standard error, harmless for a terminal."""
    sys.stdout = sys.stderr = _PrintableLog(
        sys.stderr.buffer, encoding="utf-8", errors="backslashreplace", write_through=True
    )


@contextlib.contextmanager
def interrupted_when_terminated() -> Iterator[None]:
    """SIGTERM is an interrupt like Ctrl-C, and whatever goes wrong after it is its work.

    Where it falls between an error of TensorFlow's native code and Python's exception of it,
    pybind11 raises a RuntimeError in place of both.
    """
    asked = False

    def interrupt(*unused: Any) -> None:
        nonlocal asked
        asked = True
        # Once is enough: what is left in order now is not to be interrupted again.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except BaseException as error:
        if asked:
            raise KeyboardInterrupt from error
        raise


def told(error: BaseException) -> PipelineError:
    """The failure as the user is told of it."""
    while error.__cause__ is not None and not isinstance(error, PipelineError):
        error = error.__cause__
    if isinstance(error, PipelineError):
        return error
    message = words_of(error) or type(error).__name__
    return PipelineError(f"{type(error).__name__}: {shortened(message)}")


def leave(code: int) -> NoReturn:
    """Ends the process at once.

    TensorFlow's and gRPC's threads may abort in their destructors after all is done.
    """
    with contextlib.suppress(OSError):  # The log's disk may be full.
        logging.shutdown()
        sys.stdout.flush()
    os._exit(code)
