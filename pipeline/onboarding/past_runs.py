"""Tells whether another table has used the output directory that a proposed name leads to.

Two tables whose files have the same stem, such as a.csv and a.parquet, get the same name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from components.tables.sources.table_path import TablePath
from pipeline.core.contracts import ArtifactFile, RunFile
from pipeline.core.text import shorten

_LONGEST_PATH = 80
"""Characters of the path that the warning shows."""


def warn_of_other_table(name: str, paths: Sequence[TablePath]) -> list[str]:
    """Warns if the newest run in runs/NAME read no file of `paths`."""
    root = Path("runs") / name
    used = _read_newest_files(root / "logs")
    if not used or used & {_to_text(path, Path.cwd()) for path in paths}:
        return []
    effect = "mix its runs with them"
    if (root / "serving" / ArtifactFile.SERVED_RECORD).exists():
        effect = "compare its model with the one served there, and may replace that"
    return [
        f"{root} has runs of another table ({shorten(min(used), _LONGEST_PATH)}): a run of this "
        f"table would {effect}; set another `name` in the file to keep them apart"
    ]


def _read_newest_files(logs: Path) -> set[str]:
    """Returns the data files of the newest run that has left a record; empty without one."""
    for record in sorted(logs.glob(f"*/{RunFile.RECORD}"), reverse=True):
        try:
            content = json.loads(record.read_text(encoding="utf-8"))
            directory = Path(content["directory"])
            return {_to_text(file["path"], directory) for file in content["data_files"]}
        except (OSError, ValueError, KeyError, TypeError):
            continue  # A record that is damaged says nothing about its table.
    return set()


def _to_text(path: object, directory: Path) -> str:
    """Returns a local path in its absolute form, or the address of an object."""
    return str(path) if "://" in str(path) else str((directory / str(path)).resolve())
