"""What a comparison reads of one run: its report, its configuration, and its artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML

from pipeline.config import ValidationConfig
from pipeline.core.contracts import Node
from pipeline.report.comparison import Side
from pipeline.report.content import Report
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.reporting.gather import gather_report
from pipeline.runners.reporting.reading.run_files import read_run_files


@dataclass(frozen=True)
class RunInputs:
    """One run."""

    chosen: ChosenRun
    report: Report
    version: str | None
    """The served version that is the run's model."""

    @classmethod
    def read(cls, chosen: ChosenRun) -> RunInputs:
        """Returns what the run left.

        Raises:
          ConfigError: the metadata file cannot be used.
        """
        workspace, name = chosen.workspace, chosen.name
        pushed = read_run_files(workspace.logs / name).summary.pushed
        return cls(chosen, gather_report(workspace, name), Path(pushed).name if pushed else None)

    @property
    def side(self) -> Side:
        """The run as the page names it."""
        report = self.report
        rows = next((c.rows for c in report.components if c.name == Node.EXAMPLE_GEN), None)
        return Side(
            asked=self.chosen.asked,
            pipeline=report.pipeline,
            run=report.run,
            started=report.started,
            status=report.verdict.status,
            version=self.version,
            rows=rows or {},
        )

    @cached_property
    def configuration(self) -> Mapping[str, Any]:
        """The recorded configuration; {} if an earlier version ran."""
        content = YAML(typ="safe").load(self.report.lineage.configuration)
        return content if isinstance(content, dict) else {}

    @property
    def validation(self) -> ValidationConfig:
        """The thresholds of the data gate; the defaults if they are not recorded."""
        try:
            return ValidationConfig.model_validate(self.configuration.get("validation", {}))
        except ValidationError:
            return ValidationConfig()

    @property
    def label(self) -> str | None:
        """The label's column; None if it is not recorded."""
        column = self._get("label", "column", None)
        return str(column) if column is not None else None

    @property
    def least_slice(self) -> int:
        """The fewest rows of a slice."""
        return int(self._get("evaluation", "min_slice_size", 30))

    @property
    def shows_rows(self) -> bool:
        """Whether a page may show cells."""
        return bool(self._get("report", "rows", True))

    def find(self, producer: str, type_: str) -> str | None:
        """Returns the directory of an artifact; None if there is none or if it was removed."""
        artifacts = self.report.lineage.artifacts
        uris = [a.uri for a in artifacts if (a.producer, a.type) == (producer, type_)]
        return uris[0] if uris and Path(uris[0]).exists() else None

    def _get(self, section: str, key: str, default: Any) -> Any:
        values = self.configuration.get(section)
        return values.get(key, default) if isinstance(values, Mapping) else default
