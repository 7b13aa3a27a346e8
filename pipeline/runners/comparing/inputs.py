"""What a comparison reads of one run: its report, its configuration, and its artifacts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from google.protobuf import text_format
from ruamel.yaml import YAML
from tensorflow_metadata.proto.v0 import schema_pb2

from components.statistics_view.distributions.thresholds import choose_thresholds
from components.statistics_view.gate_rules import GateRules
from pipeline.config import Config
from pipeline.core.contracts import ArtifactFile, ArtifactType, Node
from pipeline.report.comparison import Side
from pipeline.report.content import Report
from pipeline.runners.comparing.choose import ChosenRun
from pipeline.runners.comparing.data import DriftRules
from pipeline.runners.reporting.gather import gather_report
from pipeline.runners.reporting.reading.run_files import read_run_files


class NotComparableError(Exception):
    """Why a part of the runs cannot be compared, in one sentence."""


@dataclass(frozen=True)
class RunInputs:
    """One run."""

    chosen: ChosenRun
    report: Report
    version: str | None
    """The served version that is the run's model."""
    config: Config | None
    """None if an earlier version ran, or if this version refuses the configuration."""

    @classmethod
    def read(cls, chosen: ChosenRun) -> RunInputs:
        """Returns what the run left.

        Raises:
          ConfigError: the metadata file cannot be used.
        """
        workspace, name = chosen.workspace, chosen.name
        files = read_run_files(workspace.logs / name)
        pushed = files.summary.pushed
        version = Path(pushed).name if pushed else None
        return cls(chosen, gather_report(workspace, name), version, files.config)

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

    def read_drift_rules(self) -> DriftRules:
        """Returns what the data gate of the run tolerates; no limits if they are not recorded.

        Raises:
          OSError: the curated schema cannot be read.
          google.protobuf.text_format.ParseError: the curated schema is damaged.
        """
        uri = self.find(Node.SCHEMA_CURATOR, ArtifactType.SCHEMA)
        if self.config is None or uri is None:
            return DriftRules()
        config, schema = self.config, schema_pb2.Schema()
        text_format.Parse((Path(uri) / ArtifactFile.SCHEMA).read_text(encoding="utf-8"), schema)
        rules = GateRules.of(
            config.kinds_with_weight_column(), config.label, config.schema_, config.validation
        )
        thresholds = choose_thresholds(schema, rules, "drift_comparator")
        return DriftRules(thresholds, config.validation.missing_values_rise)

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

    def require(self, producer: str, type_: str) -> str:
        """Returns the directory of an artifact.

        Raises:
          NotComparableError: there is no such artifact, or it was removed.
        """
        uri = self.find(producer, type_)
        if uri is None:
            raise NotComparableError(
                f"run {self.report.run} has no artifact {type_} of the {producer}"
            )
        return uri

    def find(self, producer: str, type_: str) -> str | None:
        """Returns the directory of an artifact; None if there is none or if it was removed."""
        artifacts = self.report.lineage.artifacts
        uris = [a.uri for a in artifacts if (a.producer, a.type) == (producer, type_)]
        self.chosen.workspace.fetch(uris[:1])
        return uris[0] if uris and Path(uris[0]).exists() else None

    def _get(self, section: str, key: str, default: Any) -> Any:
        values = self.configuration.get(section)
        return values.get(key, default) if isinstance(values, Mapping) else default
