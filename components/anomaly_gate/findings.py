"""What the data gate found, as it is kept, shown and obeyed. Light: the command line reads it."""

from __future__ import annotations

import dataclasses
import json
import os
from dataclasses import dataclass
from typing import Any

from pipeline.config import Severity
from pipeline.core.text import readable_json

FINDINGS_FILE = "findings.json"


@dataclass(frozen=True)
class Finding:
    """One way in which the data is not as expected."""

    column: str | None
    """None if it is about the table as a whole."""
    kind: str
    """A key of `validation.severity`."""
    severity: Severity
    splits: tuple[str, ...]
    """Where it shows."""
    problem: str
    """What is wrong, in one sentence."""
    expected: str
    found: str
    examples: tuple[str, ...]
    """Values that show it."""
    accept: str
    """What to do if the data is right and the expectation is not."""
    against: str
    """What the data was held against."""


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
    findings = (
        Finding(**(f | {key: tuple(f[key]) for key in ("splits", "examples")}))
        for f in content["findings"]
    )
    return Findings(content["checked_against"], tuple(findings))


def read_findings(uri: str) -> Findings:
    """The findings in the DataFindings artifact at `uri`."""
    with open(os.path.join(uri, FINDINGS_FILE), encoding="utf-8") as file:
        return parse_findings(file.read())
