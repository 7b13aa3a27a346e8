"""The fingerprint of the data, which a run computes before the ExampleGen reads the data.

test_dag.py has the ExampleGen of each source.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError
from pipeline.sources import compute_input_fingerprint


@pytest.mark.parametrize("source", ["csv", "tfrecord"])
def test_the_fingerprint_of_files_changes_with_their_content(tmp_path: Path, source: str) -> None:
    path = tmp_path / f"table.{source}"
    path.write_text("x,y\n1,2\n")
    data = DataConfig(source=source, path=str(path))
    before = compute_input_fingerprint(data)
    assert compute_input_fingerprint(data) == before
    path.write_text("x,y\n1,2\n3,4\n")
    assert compute_input_fingerprint(data) != before


def test_each_answer_of_a_query_has_its_own_fingerprint() -> None:
    data = DataConfig(source="bigquery", query="SELECT 1")
    assert compute_input_fingerprint(data) != compute_input_fingerprint(data)


def test_missing_files_are_an_error(tmp_path: Path) -> None:
    data = DataConfig(source="csv", path=str(tmp_path / "absent.csv"))
    with pytest.raises(ConfigError, match=r"data\.path"):
        compute_input_fingerprint(data)
