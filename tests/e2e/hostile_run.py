"""Runs `init` and `run` on a hostile table, and reads the results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from hostile_tables import Table
from support import Project, Result

from pipeline.config import Config, load_config
from pipeline.core.contracts import MISSING_STRING


@dataclass
class HostileRun:
    """Runs both commands without any edits of the proposed configuration."""

    table: Table
    project: Project
    proposed: Result
    result: Result

    @property
    def config(self) -> Config:
        return load_config([self.project.directory / "my.yaml"])

    @cached_property
    def examples(self) -> dict[str, dict[str, list[Any]]]:
        """The ingested cells by split and column."""
        output = self.project.directory / self.project.output
        found: dict[str, dict[str, list[Any]]] = {}
        for file in sorted(output.glob("artifacts/*/ExampleGen/**/Split-*/*.parquet")):
            split = found.setdefault(file.parent.name.removeprefix("Split-"), {})
            for name, cells in pq.read_table(file).to_pydict().items():
                split.setdefault(name, []).extend(_plain(cell) for cell in cells)
        return found

    def column(self, name: str) -> list[Any]:
        """The ingested cells of all splits."""
        return [cell for split in self.examples.values() for cell in split[name]]

    @property
    def metrics(self) -> dict[str, float]:
        metrics: dict[str, float] = self.result.summary["metrics"][""]
        return metrics


def init_and_run(table: Table, directory: Path) -> HostileRun:
    project = Project(directory)
    table.write(directory)
    proposed = project.command(
        "init", "--data", table.file, "--label", table.label, "--output", "my.yaml"
    )
    assert proposed.code == 0, proposed.output
    # Without a limit, each training takes minutes.
    result = project.run("--set", "training.seconds=20")
    assert result.code == 0, proposed.output + result.output
    return HostileRun(table, project, proposed, result)


def _plain(cell: list[Any] | None) -> Any:
    if cell is None:
        return None
    value = cell[0].decode() if isinstance(cell[0], bytes) else cell[0]
    assert value != MISSING_STRING
    return value
