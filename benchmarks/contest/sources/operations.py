"""A table of free text: what the operations of AWS do, and the service that they belong to."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.contest.sources.files import PACKAGES, keep_frequent

_MODELS = "botocore/data/*/*/service-2.json.gz"
"""SERVICE/VERSION: the dates of versions sort as texts."""
_FEWEST_ROWS = 100
"""The least operations of a service; the smaller services are left out."""
_TAG = re.compile(r"<[^>]*>")


def make_operations() -> pd.DataFrame:
    """Returns the documentation of operations with their HTTP method, and the service."""
    newest = {path.parts[-3]: path for path in sorted(PACKAGES.glob(_MODELS))}
    rows = [row for service, path in newest.items() for row in _read(service, path)]
    table = pd.DataFrame(rows, columns=["method", "text", "service"])
    return keep_frequent(table.drop_duplicates("text"), "service", _FEWEST_ROWS)


def _read(service: str, path: Path) -> Iterator[tuple[str, str, str]]:
    model = json.loads(gzip.decompress(path.read_bytes()))
    for operation in model["operations"].values():
        if text := _TAG.sub(" ", operation.get("documentation", "")):
            yield operation["http"]["method"], " ".join(text.split()), service
