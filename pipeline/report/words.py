"""Numbers, names and cells as the page writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

from markupsafe import Markup, escape

from components.model_figures.figures import Estimate
from pipeline.core.text import percent, printable, printable_lines

_LONGEST_NAME = 60
"""Characters of a name or a cell before it is shortened: about one line of a phone."""
_LONGEST_TITLE = 500
"""Characters of a name that a tooltip shows."""
_LONGEST_CELL = 20_000
"""Characters of a cell that the page keeps at all."""
_CODE = re.compile(r"`([^`]+)`")
_OPTION = re.compile(r" (?=--?[A-Za-z]|&& )")
"""Where a command is best broken: before an option, so that its value stays beside it."""
_BREAK = re.compile(r"(?<=[/=_])(?=[^/=_])")
_NOTHING = "–"
_MINUS = "−"


def finalize(value: Any) -> Any:
    """Returns what a template may write: markup as it is, all other text in printable form."""
    return value if isinstance(value, Markup) or value is None else printable(value)


def number(value: float | None) -> str:
    """Returns a number with four significant digits, a large one with all digits before the point.

    People read all digits of large values, such as errors in money. A float of 1e15 has none to
    trust.
    """
    return _written(value, ",.4g")


def precise(value: float | None) -> str:
    """Returns a measured number with four digits, zeros at the end included: columns line up."""
    if value is not None and 1e-3 <= abs(value) < 1:
        return _written(value, ".4f")
    return _written(value, "#,.4g" if value and 1 <= abs(value) < 1000 else ",.3g")


def _written(value: float | None, form: str) -> str:
    if value is None:
        return _NOTHING
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else str(value)
    form = ",.0f" if 1e4 <= abs(value) < 1e15 else form
    return f"{value:{form}}".replace("-", _MINUS)


def fixed(value: float | None, digits: int | None = None) -> str:
    """Returns a number with so many digits after the point; without `digits`, as `precise` does."""
    if value is None or digits is None or not math.isfinite(value):
        return precise(value)
    rounded = round(value, digits)
    # A negative zero would show its sign: adding 0 drops it.
    return f"{rounded + 0.0:,.{digits}f}".replace("-", _MINUS)


def setting(value: Any) -> str:
    """Returns the value of a configuration key; a long fraction is rounded."""
    if isinstance(value, float):
        return number(value)
    return _NOTHING if value is None else str(value)


def signed(value: float | None, digits: int | None = None) -> str:
    """Returns a difference with its sign; see `fixed`."""
    if value is None or math.isnan(value):
        return number(value)
    text = fixed(abs(value), digits)
    is_zero = not text.strip("0.,")
    return text if is_zero else f"{_MINUS if value < 0 else '+'}{text}"


def count(value: float | None) -> str:
    """Returns a whole number with separators."""
    return _NOTHING if value is None else f"{value:,.0f}"


def share(value: float | None) -> str:
    """Returns a share in percent."""
    return _NOTHING if value is None or math.isnan(value) else percent(value)


def interval(
    estimate: Estimate | None,
    digits: int | None = None,
    write: Callable[[float | None, int | None], str] = fixed,
) -> str:
    """Returns the interval's two bounds; empty without an interval."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{write(estimate.low, digits)} to {write(estimate.high, digits)}"


def digits_of(*estimates: Estimate | None) -> int | None:
    """Returns the digits after the point that the intervals support; None without an interval.

    The second digit of half an interval's width is the last one that a reader can trust.
    """
    widths = [e.high - e.low for e in estimates if e and e.low is not None and e.high is not None]
    halves = [width / 2 for width in widths if math.isfinite(width) and width > 0]
    if not halves:
        return None
    return min(max(math.ceil(-math.log10(min(halves))) + 1, 0), 6)


def duration(seconds: float | None) -> str:
    """Returns a time with the units that a reader needs: 4.9 s, 1 min 5 s or 2 h 3 min."""
    if seconds is None or math.isnan(seconds):
        return _NOTHING
    if 0 < seconds < 0.05:
        return "< 0.1 s"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:
        return f"{hours / 24:,.1f} days"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def file_size(size: float | None) -> str:
    """Returns bytes in a unit of 1,000."""
    if size is None:
        return _NOTHING
    for unit in ("bytes", "kB", "MB", "GB"):
        if abs(size) < 1000:
            break
        size, unit = size / 1000, "TB"
    return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"


def moment(text: str) -> str:
    """Returns an ISO time as 23 November 2026, 05:47 UTC+01:00; other text as it is."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return text
    zone = time.strftime("%z")
    offset = "" if not zone else " UTC" if zone == "+0000" else f" UTC{zone[:3]}:{zone[3:5]}"
    return f"{time.day} {time:%B %Y, %H:%M}{offset}"


def value(number_: float | None, milliseconds: int | None) -> str:
    """Returns a column's value: a date if the column counts time since 1970, else a number."""
    if number_ is None or milliseconds is None or not math.isfinite(number_):
        return number(number_)
    time = datetime(1970, 1, 1, tzinfo=timezone.utc)
    try:
        time += timedelta(milliseconds=number_ * milliseconds)
    except OverflowError:
        return number(number_)
    return f"{time:%Y-%m-%d %H:%M}"


def short(text: object, most: int = _LONGEST_NAME) -> str:
    """Returns the beginning of a printable text, for charts and labels."""
    shown = printable(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def distinct(texts: Sequence[str], most: int) -> list[str]:
    """Returns short names for charts; those that would look the same are numbered."""
    shown = [short(text, most) for text in texts]
    return [
        f"{number_}: {text}" if shown.count(text) > 1 else text
        for number_, text in enumerate(shown, start=1)
    ]


def name(text: object, most: int = _LONGEST_NAME) -> Markup:
    """Returns a short name of the user's data; a tooltip shows the rest of a long one."""
    shown = printable(text)
    if len(shown) <= most:
        return Markup("<bdi>{}</bdi>").format(_breakable(shown))
    title = short(text, _LONGEST_TITLE)
    return Markup('<bdi title="{}">{}</bdi>').format(title, short(text, most))


def cell(text: object, most: int = _LONGEST_NAME) -> Markup:
    """Returns a cell of the user's data; a long one can be opened."""
    shown = short(text, _LONGEST_CELL)
    if len(shown) <= most:
        return Markup('<bdi class="cell">{}</bdi>').format(_breakable(shown))
    return Markup(
        '<details class="long"><summary><bdi>{}</bdi></summary><bdi class="cell">{}</bdi></details>'
    ).format(short(text, most), shown)


def prose(text: object, most: int = 1000) -> Markup:
    """Returns a sentence with the parts between backticks as code; a long one can be opened."""
    shown = short(text, _LONGEST_CELL)
    full = _with_code(shown)
    if len(shown) <= most:
        return Markup('<bdi class="cell">{}</bdi>').format(full)
    return Markup(
        '<details class="long"><summary><bdi>{}</bdi></summary><bdi class="cell">{}</bdi></details>'
    ).format(short(text, most), full)


def _with_code(text: str) -> Markup:
    parts = _CODE.split(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(_breakable(part)) if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def command(text: object) -> Markup:
    """Returns a command that a line breaks between its options, and copies as it is."""
    options = _OPTION.split(printable_lines(text))
    return Markup(" ").join(
        Markup('<span class="option">{}</span>').format(_breakable(option)) for option in options
    )


def _breakable(text: str) -> Markup:
    """Returns text that may be broken where a reader expects it: after `/`, `=` and `_`."""
    return Markup("<wbr>").join(_BREAK.split(text))


def lines(text: object) -> Markup:
    """Returns text with its line breaks, for a <pre>."""
    return escape(printable_lines(text))
