"""Finds artifacts of a pipeline run, which TFX writes to NODE/OUTPUT/NUMBER."""

from __future__ import annotations

from pathlib import Path


def find_artifact(root: Path, node: str, output: str) -> Path:
    """Returns the directory of the newest artifact of a node's output below `root`.

    Raises:
      FileNotFoundError: there is no such artifact.
    """
    found = [path for path in root.glob(f"artifacts/**/{node}/{output}/*") if path.name.isdigit()]
    if not found:
        raise FileNotFoundError(f"{root}: no artifact {node}/{output}")
    return max(found, key=lambda path: int(path.name))


def bytes_below(root: Path) -> int:
    """Returns the size of all files below a directory."""
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
