"""Finds the cause of a failed job in what the engine says about the job.

An engine wraps the worker's traceback into Java's, hundreds of lines long. A user wants the last
line of the traceback, as a run on one machine shows it.
"""

from __future__ import annotations

import re

from pipeline.core.errors import ConfigError, DataError, PipelineError
from pipeline.core.text import short_message

_TRACEBACK = "Traceback (most recent call last):"
_RAISED = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<message>.*))?$")
_WHERE = re.compile(r" \[while running '.*$", re.DOTALL)
_OUR_ERRORS = {f"{error.__module__}.{error.__name__}": error for error in (ConfigError, DataError)}
_JAVA = re.compile(r"^(?:Caused by: )?(?P<type>[\w.$]+(?:Exception|Error)): (?P<message>.+)$", re.M)


def explain_failure(job: str, text: str, hint: str = "") -> PipelineError:
    """Returns the error to show for a failed job.

    Args:
      text: the last message of the engine about the job.
      hint: where to read more. A refusal of the data needs no more.
    """
    kind, message = _find_cause(text)
    if kind in _OUR_ERRORS:
        return _OUR_ERRORS[kind](message)
    cause = f"{kind.rpartition('.')[2]}: {message}" if message else kind.rpartition(".")[2]
    return PipelineError(f"job {job} failed on its engine: {short_message(cause)}", hint)


def _find_cause(text: str) -> tuple[str, str]:
    """Returns the type and the message of the last exception of Python, or else of Java."""
    _, found, trace = text.rpartition(_TRACEBACK)
    if found:
        lines = trace.lstrip("\n").splitlines()
        for number, line in enumerate(lines):
            if raised := _RAISED.match(line):
                # A message may have several lines; Java's own trace begins after an empty one.
                rest = "\n".join(lines[number + 1 :]).split("\n\n")[0]
                message = "\n".join(filter(None, (raised["message"], rest)))
                return raised["type"], _WHERE.sub("", message).strip()
    causes = list(_JAVA.finditer(text))
    if causes:
        return causes[-1]["type"], causes[-1]["message"]
    return text.strip() or "the engine gives no reason", ""
