"""Text from tables and files, made harmless for a terminal and for comments.

A cell or a column's name may hold escape sequences that rewrite the screen, line breaks that fake
a message, or marks that turn the reading direction around.
"""

from __future__ import annotations

import json
import math
from typing import Any

_LONGEST = 400
"""Characters of a message in a sentence; what its libraries add at the end says the most."""


def printable(text: object) -> str:
    """The text with line breaks, control and invisible characters as escapes, such as `\\x1b`."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def printable_lines(text: object) -> str:
    """The same for text of several lines, whose line breaks stay."""
    return "\n".join(printable(line) for line in str(text).split("\n"))


def readable_json(content: Any) -> str:
    """JSON for people and programs: umlauts stay, but nothing invisible stands in it.

    A number that is undefined or infinite, for which JSON has no word, is null.
    """
    content = _with_nulls(content)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    shown = "".join(text.split("\n")).isprintable()
    return text if shown else json.dumps(content, indent=1, allow_nan=False)


def _with_nulls(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _with_nulls(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_with_nulls(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def words_of(error: BaseException) -> str:
    """Its message; empty where it has none, or fails to say it."""
    try:
        return str(error).strip()
    except Exception:
        return ""


def limited(text: str, most: int) -> str:
    """The text; of a longer one than `most` characters, what it begins and ends with."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def shortened(message: str) -> str:
    """Its first line; of one that only announces what follows, the rest as well."""
    first, *others = message.splitlines()
    first = limited(first, 2 * _LONGEST)
    if not first.rstrip().endswith((":", "{")):
        return first
    told = " ".join([first, *(line.strip() for line in others if line.strip())])
    return told if len(told) <= _LONGEST else f"{first} ... {told[-_LONGEST:].partition(' ')[2]}"
