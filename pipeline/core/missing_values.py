"""The values that stand for a missing value wherever a tensor is dense.

The curated schema states them as defaults, preprocessing recognises them, and clients of the served
model send them. A table can hold none of them, so a missing value stays distinguishable from every
real value.
"""

from __future__ import annotations

MISSING_FLOAT = float("nan")
MISSING_INT = -(2**63)
MISSING_STRING = "__MISSING__"
