"""A table of free text: the docstrings of statsmodels, and the part of it that they belong to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.contest.sources.files import PACKAGES, keep_frequent

_PACKAGE = "statsmodels"
_FEWEST_ROWS = 50
"""The least docstrings of a part; the smaller parts are left out."""


def make_docstrings() -> pd.DataFrame:
    """Returns the docstrings with the kind of what they describe, and the part of the package."""
    rows = [row for path in sorted(PACKAGES.glob(f"{_PACKAGE}/*/**/*.py")) for row in _read(path)]
    table = pd.DataFrame(rows, columns=["kind", "text", "part"])
    return keep_frequent(table.drop_duplicates("text"), "part", _FEWEST_ROWS)


def _read(path: Path) -> Iterator[tuple[str, str, str]]:
    part = path.relative_to(PACKAGES / _PACKAGE).parts[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            # Spaces and line breaks say where the text stands in the file, and nothing else.
            yield type(node).__name__, " ".join(text.split()), part
