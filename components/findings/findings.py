"""The findings of the data gate as a file. Imports nothing heavy: the command line reads it."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import Any

from pipeline.core.contracts import ArtifactFile
from pipeline.core.events import Finding
from pipeline.core.text import readable_json


@dataclass(frozen=True)
class Findings:
    """All findings of one run, those of severity stop first."""

    checked_against: str
    """The origin of the schema; "itself" means the schema was made from the same data."""
    findings: tuple[Finding, ...]

    @property
    def stopping(self) -> tuple[Finding, ...]:
        """The findings that stop the run."""
        return tuple(finding for finding in self.findings if finding.severity == "stop")

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        return readable_json(self.to_dict())


def parse_findings(text: str) -> Findings:
    """Returns the findings that `to_json` wrote."""
    content = json.loads(text)
    findings = tuple(map(Finding.from_json, content["findings"]))
    return Findings(content["checked_against"], findings)


def read_findings(uri: str) -> Findings:
    """Returns the findings in the DataFindings artifact at `uri`."""
    with open(os.path.join(uri, ArtifactFile.FINDINGS), encoding="utf-8") as file:
        return parse_findings(file.read())
