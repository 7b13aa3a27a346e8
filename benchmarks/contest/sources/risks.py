"""A table of free text: weak settings of clouds that Prowler looks for, and how severe they are."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from benchmarks.contest.sources.files import PACKAGES, keep_frequent

_CHECKS = "prowler/providers/**/*.metadata.json"
_COLUMNS = {
    "Provider": "provider",
    "ServiceName": "service",
    "ResourceType": "resource",
    "CheckTitle": "title",
    "Description": "description",
    "Risk": "risk",
    "Severity": "severity",
}
_FEWEST_ROWS = 20
"""The least checks of a severity: each split needs some."""


def make_risks() -> pd.DataFrame:
    """Returns the checks with their texts, and the severity."""
    rows = [_read(path) for path in sorted(PACKAGES.glob(_CHECKS))]
    table = pd.DataFrame(rows, columns=list(_COLUMNS)).rename(columns=_COLUMNS)
    return keep_frequent(table, "severity", _FEWEST_ROWS)


def _read(path: Path) -> dict[str, str]:
    check = json.loads(path.read_text(encoding="utf-8"))
    # A text of several lines would be a cell of several lines.
    return {name: " ".join(check[name].split()) for name in _COLUMNS}
