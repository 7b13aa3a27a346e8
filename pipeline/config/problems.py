"""Pydantic's errors in words for the author of a YAML file; pydantic names Python's types."""

from __future__ import annotations

from typing import Any

_TYPES_IN_YAML = {
    "tuple_type": "a list in brackets, such as [a, b]",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "bool_parsing": "true or false",
    "bool_type": "true or false",
    "string_type": "text",
}
"""What the user must write, by the kind of pydantic's error."""


def describe_problem(detail: Any) -> str:
    """Returns what is wrong with a value, such as `must be a whole number, not 'abc'`.

    `detail` is one of `ValidationError.errors()`.
    """
    kind, given = detail["type"], detail["input"]
    message = str(detail["msg"])
    if kind == "value_error":
        return message.removeprefix("Value error, ")
    if kind in _TYPES_IN_YAML:
        shown = "" if isinstance(given, dict) else f", not {given!r}"
        return f"must be {_TYPES_IN_YAML[kind]}{shown}"
    if kind in ("too_short", "string_too_short"):  # No key needs more than one item.
        return "must not be empty"
    shown = "" if isinstance(given, (dict, list, tuple)) else f", not {given!r}"
    message = message.removeprefix("Input ").removeprefix("String ").replace("should ", "must ", 1)
    return message + shown
