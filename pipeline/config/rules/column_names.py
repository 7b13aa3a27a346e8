"""Which columns can be inputs of a served model by their names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable


def signature_parameter(column: str) -> str:
    """The Python parameter that TensorFlow makes of a column's name in a loaded signature.

    A client still calls it by the column's own name, but is refused where two columns, such as
    `a b` and `a-b`, give the same parameter.
    """
    replaced = "".join(c if c.isalnum() else "_" for c in column)
    return replaced if replaced[:1].isalpha() else f"arg_{replaced}"


def first_unservable(columns: Iterable[str]) -> tuple[str, str] | None:
    """A column that cannot be an input of a served model beside those before it, and why."""
    # The loaded function is an object, and that is what it calls itself.
    seen = {"self": "TensorFlow's own parameter self"}
    for column in columns:
        parameter = signature_parameter(column)
        if not _is_parameter(parameter):
            return (
                column,
                f"TensorFlow could not load the model: Python has no parameter {parameter}",
            )
        if parameter in seen:
            return column, f"clients of the served model could not tell it from {seen[parameter]}"
        seen[parameter] = f"'{column}'"
    return None


def _is_parameter(name: str) -> bool:
    """Not such as `a²`; since Python 3.11 no keyword either, such as `class`."""
    try:
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY)
    except ValueError:
        return False
    return True
