"""Which tables may settle a recipe, and which ones only report what it is worth.

A recipe that was settled on a table looks better there than elsewhere. The hash of its name decides
for a table, so that nobody can choose where the results are good.
"""

from __future__ import annotations

import hashlib

TUNING, REPORTING = "tuning", "reporting"
USED = frozenset({"affairs", "bikes", "cuts", "delays", "diamonds", "digits", "late", "warmth"})
"""The tables that have settled something, whatever their hash: they can no longer report. `warmth`
showed that a fit of trees ended too early, and that trees saw days but no hours."""


def choose_purpose(name: str) -> str:
    """Returns `tuning` for a table that may settle a recipe, else `reporting`."""
    digest = hashlib.sha256(name.encode()).digest()
    # Half of the other tables: the lowest bit of a hash is 1 for every second name.
    return TUNING if name in USED or digest[0] % 2 else REPORTING
