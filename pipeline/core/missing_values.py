"""The values that stand for a missing one wherever a tensor is dense.

The curated schema gives them as defaults, preprocessing recognises them, and a client of the
served model sends them. Each lies outside what a table can hold, so that a missing value stays
distinguishable from every real one.
"""

from __future__ import annotations

MISSING_FLOAT = float("nan")
MISSING_INT = -(2**63)
MISSING_STRING = "__MISSING__"
