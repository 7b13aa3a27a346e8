"""Which column names a served model can tell apart."""

from __future__ import annotations

from collections.abc import Iterable


def signature_parameter(column: str) -> str:
    """The Python parameter that TensorFlow makes of a column's name in a loaded signature.

    A client still calls it by the column's own name, but is refused where two columns, such as
    `a b` and `a-b`, give the same parameter.
    """
    replaced = "".join(c if c.isalnum() else "_" for c in column)
    return replaced if replaced[:1].isalpha() else f"arg_{replaced}"


def first_ambiguity(columns: Iterable[str]) -> tuple[str, str] | None:
    """A column that cannot be an input of a served model, and what it cannot be told from."""
    # The loaded function is an object, and that is what it calls itself.
    seen = {"self": "TensorFlow's own parameter self"}
    for column in columns:
        parameter = signature_parameter(column)
        if parameter in seen:
            return column, seen[parameter]
        seen[parameter] = f"'{column}'"
    return None
