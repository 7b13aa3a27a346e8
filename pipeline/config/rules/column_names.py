"""Checks whether columns can be inputs of a served model under their names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable


def signature_parameter(column: str) -> str:
    """Returns the Python parameter that TensorFlow makes of a column's name in a loaded signature.

    Clients still use the column's name. If two columns, such as `a b` and `a-b`, have the same
    parameter, TensorFlow refuses every call.
    """
    replaced = "".join(c if c.isalnum() else "_" for c in column)
    return replaced if replaced[:1].isalpha() else f"arg_{replaced}"


def first_unservable(columns: Iterable[str]) -> tuple[str, str] | None:
    """Returns the first column that cannot be an input of a served model, and why; or None."""
    # The loaded function is a bound method, whose first parameter is `self`.
    seen = {"self": "TensorFlow's own parameter self"}
    for column in columns:
        parameter = signature_parameter(column)
        if not _is_parameter(parameter):
            return (
                column,
                f"TensorFlow could not load the model: {parameter} is no parameter of Python",
            )
        if parameter in seen:
            return column, f"clients of the served model could not tell it from {seen[parameter]}"
        seen[parameter] = f"'{column}'"
    return None


def _is_parameter(name: str) -> bool:
    """Returns whether Python allows the name: not `a²` and, since Python 3.11, no keyword."""
    try:
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
    except ValueError:
        return False
    return True
