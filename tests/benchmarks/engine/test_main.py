"""`make bench-engine` on a machine without Java."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.engine.__main__ import main


def test_missing_tools_are_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, ["--directory", str(tmp_path / "bench")])
    assert result.exit_code == 1
    assert "the Flink cluster needs java and mvn" in result.output
    assert "apt-get install" in result.output
    assert list((tmp_path / "bench").iterdir()) == []
