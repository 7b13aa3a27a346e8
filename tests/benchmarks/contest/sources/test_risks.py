"""The table of risks."""

import json
from pathlib import Path

import pytest

from benchmarks.contest.sources import risks


def test_checks_have_their_texts_and_rare_severities_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(risks, "PACKAGES", tmp_path)
    for number in range(21):
        check = {
            "Provider": "aws",
            "ServiceName": "disks",
            "ResourceType": "Disk",
            "CheckTitle": f"Disk {number} is encrypted",
            "Description": "Looks at\nthe disk.",
            "Risk": "A thief reads it.",
            "Severity": "high" if number else "low",
            "Remediation": {"Code": "encrypt"},
        }
        path = tmp_path / f"prowler/providers/aws/services/disks/{number}/c.metadata.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(check))
    found = risks.make_risks()
    assert set(found["severity"]) == {"high"}
    assert found[found["title"] == "Disk 7 is encrypted"].iloc[0].to_dict() == {
        "provider": "aws",
        "service": "disks",
        "resource": "Disk",
        "title": "Disk 7 is encrypted",
        "description": "Looks at the disk.",
        "risk": "A thief reads it.",
        "severity": "high",
    }
