"""What changed in configuration, code, packages and files."""

from __future__ import annotations

from collections.abc import Mapping

from ruamel.yaml import YAML

from pipeline.config.base import list_values
from pipeline.core.text import counted
from pipeline.report.comparison import Change
from pipeline.report.content import LineagePart


def list_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Change, ...]:
    """Returns the keys whose values differ, in the order of `before`, new keys last."""
    keys = dict.fromkeys([*before, *after])
    pairs = ((key, before.get(key), after.get(key)) for key in keys)
    return tuple(Change(*pair) for pair in pairs if pair[1] != pair[2])


def flatten_configuration(text: str) -> dict[str, str]:
    """Returns each value of a configuration as text, by its key as in `--set`."""
    content = YAML(typ="safe").load(text)
    return dict(list_values(content)) if isinstance(content, dict) else {}


def describe_table(lineage: LineagePart, rows: Mapping[str, int]) -> dict[str, str]:
    """Returns files, fingerprint and rows of a run's table, by name."""
    files = {
        f"file {file.path}": "?" if file.bytes is None else counted(file.bytes, "byte")
        for file in lineage.data_files
    }
    counts = {f"rows of {split}": f"{count:,}" for split, count in rows.items()}
    fingerprint = {"fingerprint": lineage.fingerprint} if lineage.fingerprint else {}
    return {**files, **fingerprint, **counts}
