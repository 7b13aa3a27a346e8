"""The table of operations."""

import gzip
import json
from pathlib import Path

import pytest

from benchmarks.contest.sources import operations


def write_service(place: Path, service: str, version: str, texts: list[str]) -> None:
    documented = {
        f"Do{number}": {"http": {"method": "POST"}, "documentation": text}
        for number, text in enumerate(texts)
    }
    content = {"operations": {**documented, "Undocumented": {"http": {"method": "GET"}}}}
    path = place / "botocore/data" / service / version / "service-2.json.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(gzip.compress(json.dumps(content).encode()))


def test_operations_of_large_services_are_read_from_the_newest_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "PACKAGES", tmp_path)
    many = [f"<p>Adds disk {number}.</p><p>Returns\n it.</p>" for number in range(100)]
    write_service(tmp_path, "disks", "2014-01-01", ["<p>Old.</p>"])
    write_service(tmp_path, "disks", "2020-01-01", [*many, many[0]])
    write_service(tmp_path, "small", "2020-01-01", ["<p>Does nothing.</p>"])
    found = operations.make_operations()
    assert len(found) == 100
    assert found.iloc[7].to_list() == ["POST", "Adds disk 7. Returns it.", "disks"]
