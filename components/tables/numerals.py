"""Rewrites numbers as people write them to the form that Arrow parses: `$1,234.50` to 1234.50.

Only a number in the configured format is rewritten. Where the comma separates thousands, `1,23`
stays as it is, because a group has three digits. The caller then reports the cell, or reads the
column as text. So no cell becomes a wrong number.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import CsvConfig

BLANKS = " \u00a0\u2009\u202f"
"""The characters that count as the thousands separator " ": the space and three narrow or no-break
spaces."""
_BLANK = f"[{BLANKS}]"


def normalize_numbers(text: pa.Array, csv: CsvConfig) -> pa.Array:
    """Returns utf8 [n] in which numbers have no unit, no thousands mark and a decimal point."""
    if csv.units:
        text = _without_units(text, csv.units)
    if csv.thousands:
        text = _without_groups(text, csv)
    if csv.decimal == ".":
        return text
    # Where the decimal mark is a comma, "1.5" must not become a number.
    return pc.replace_substring(pc.replace_substring(text, ".", "?"), csv.decimal, ".")


def _without_units(text: pa.Array, units: tuple[str, ...]) -> pa.Array:
    unit = "|".join(map(re.escape, units))
    before = rf"^\s*([+-]?)(?:{unit}){_BLANK}*([+-]?[0-9.,])"
    behind = rf"([0-9.,]){_BLANK}*(?:{unit})\s*$"
    text = pc.replace_substring_regex(text, before, r"\1\2")
    return pc.replace_substring_regex(text, behind, r"\1")


def _without_groups(text: pa.Array, csv: CsvConfig) -> pa.Array:
    mark = _BLANK if csv.thousands == " " else re.escape(csv.thousands)
    grouped = (
        rf"^\s*[+-]?[1-9][0-9]{{0,2}}(?:{mark}[0-9]{{3}})+(?:{re.escape(csv.decimal)}[0-9]*)?\s*$"
    )
    joined = pc.replace_substring_regex(text, mark, "")
    return pc.if_else(pc.match_substring_regex(text, grouped), joined, text)
