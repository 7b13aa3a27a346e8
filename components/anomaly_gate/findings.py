"""What the data gate found, as it is kept, shown and obeyed. Light: the command line reads it."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import Any

from pipeline.core.events import Finding
from pipeline.core.text import readable_json

FINDINGS_FILE = "findings.json"


@dataclass(frozen=True)
class Findings:
    """All findings of one run, the gravest first."""

    checked_against: str
    """Where the schema came from; "itself" says that a schema made from the data proves little."""
    findings: tuple[Finding, ...]

    @property
    def stopping(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.severity == "stop")

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    def to_json(self) -> str:
        return readable_json(self.to_dict())


def parse_findings(text: str) -> Findings:
    """The findings that `to_json` wrote."""
    content = json.loads(text)
    findings = tuple(map(Finding.from_json, content["findings"]))
    return Findings(content["checked_against"], findings)


def read_findings(uri: str) -> Findings:
    """The findings in the DataFindings artifact at `uri`."""
    with open(os.path.join(uri, FINDINGS_FILE), encoding="utf-8") as file:
        return parse_findings(file.read())
