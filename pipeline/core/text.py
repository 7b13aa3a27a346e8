"""Text for people: harmless on a terminal, short, with numbers as a reader wants them.

A cell or a column's name may hold escape sequences that rewrite the screen, line breaks that fake
a message, or marks that turn the reading direction around.
"""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Sequence
from typing import Any

_LONGEST = 400
"""Characters of a short message: about five lines of a terminal, enough for one sentence."""


def printable(text: object) -> str:
    """Returns the text with line breaks, control and invisible characters escaped, as `\\x1b`."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(text))


def printable_lines(text: object) -> str:
    """Returns the text as `printable` does, but keeps its line breaks."""
    return "\n".join(printable(line) for line in str(text).split("\n"))


class _PrintableLog(io.TextIOWrapper):
    """A log that is safe to show: TensorFlow writes the names of columns as they are."""

    def write(self, text: str) -> int:
        return super().write(printable_lines(text))


def print_to_log() -> None:
    """Redirects all that this process prints to standard error, made printable."""
    sys.stdout = sys.stderr = _PrintableLog(
        sys.stderr.buffer, encoding="utf-8", errors="backslashreplace", write_through=True
    )


def readable_json(content: Any) -> str:
    """Returns JSON for people and programs: umlauts stay, invisible characters are escaped.

    Numbers that are NaN or infinite become null: JSON has no word for them.
    """
    content = _with_nulls(content)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    is_readable = "".join(text.split("\n")).isprintable()
    return text if is_readable else json.dumps(content, indent=1, allow_nan=False)


def _with_nulls(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _with_nulls(value) for key, value in content.items()}
    if isinstance(content, (list, tuple)):
        return [_with_nulls(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def percent(share: float, digits: int | None = None) -> str:
    """Returns a share in percent with `digits` significant digits.

    Without `digits`, with as many as a reader needs: 0.5 % and 99.97 %, but 12 %.
    """
    shown = 100 * share
    if digits:
        return f"{shown:.{digits}g} %"
    if shown in (0, 100) or 1 <= shown < 99 or shown > 100:
        return f"{shown:.0f} %"
    return f"{min(max(shown, 0.01), 99.99):.2g} %" if shown < 1 else f"{min(shown, 99.99):.2f} %"


def counted(number: int, thing: str) -> str:
    """Returns a number with its noun: `1 row`, `15,000 rows`, `2 categories`, `2 keys`."""
    is_short = thing.endswith("y") and thing[-2:-1] not in "aeiou"
    plural = thing[:-1] + "ies" if is_short else thing + "s"
    return f"{number:,} {thing if number == 1 else plural}"


def list_first(items: Sequence[str], most: int, thing: str) -> list[str]:
    """Returns at most so many items, and then how many more there are: `and 2 more columns`."""
    shown = list(items[:most])
    if more := len(items) - len(shown):
        shown.append(f"and {counted(more, f'more {thing}')}")
    return shown


def message_of(error: BaseException) -> str:
    """Returns the error's message; empty where it has none, or where `str` fails."""
    try:
        return str(error).strip()
    except Exception:
        return ""


def shorten(text: str, most: int) -> str:
    """Returns the text; of one longer than `most` characters, its beginning and its end."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def short_message(message: str) -> str:
    """Returns the first line of a library's message, at most 800 characters.

    A first line that only announces more, such as `in user code:`, is joined with the lines after
    it. If that is too long, the end is kept: libraries state the cause there.
    """
    first, *others = message.splitlines()
    first = shorten(first, 2 * _LONGEST)
    if not first.rstrip().endswith((":", "{")):
        return first
    joined = " ".join([first, *(line.strip() for line in others if line.strip())])
    if len(joined) <= _LONGEST:
        return joined
    return f"{first} ... {joined[-_LONGEST:].partition(' ')[2]}"
