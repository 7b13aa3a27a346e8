"""Checks that a run on the cluster made what the run on this machine made."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.artifacts import find_artifact
from benchmarks.results import Check

_SAME = 1e-12
"""The relative tolerance of metrics: workers add the same numbers in another order."""
_OUTPUTS = {"ExampleGen": "examples", "Transform": "transformed_examples"}


def check_equality(
    where: str, here: Path, there: Path, metrics_here: Any, metrics_there: Any
) -> Iterator[Check]:
    """Yields the checks of the examples' bytes and of all metrics of two runs."""
    for component, output in _OUTPUTS.items():
        expected = digest_files(find_artifact(here, component, output))
        found = digest_files(find_artifact(there, component, output))
        different = sorted(n for n in expected | found if expected.get(n) != found.get(n))
        finding = f"different: {', '.join(different[:3])}" if different else f"{len(found)} files"
        yield Check(f"{where}: bytes of {output}", bool(found) and not different, finding)
    expected, found = _flatten(metrics_here), _flatten(metrics_there)
    names = sorted(n for n in expected | found if not _is_same(expected.get(n), found.get(n)))
    finding = f"{len(names)} of {len(expected)} differ" + (f", such as {names[0]}" if names else "")
    yield Check(f"{where}: metrics", bool(found) and not names, finding)


def digest_files(directory: Path) -> dict[str, str]:
    """Returns the digest of every file below a directory, by its path in the directory."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in directory.rglob("*")
        if path.is_file()
    }


def _flatten(metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the metrics by slice and name. An undefined metric, null in JSON, is NaN."""
    return {
        f"{name} of '{slice_name}'": math.nan if value is None else value
        for slice_name, values in metrics.items()
        for name, value in values.items()
    }


def _is_same(here: Any, there: Any) -> bool:
    if here is None or there is None:
        return False
    if math.isnan(here):
        return math.isnan(there)
    return math.isclose(here, there, rel_tol=_SAME)
