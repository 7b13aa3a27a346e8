"""The executor checks the credentials before it sends the query."""

from pathlib import Path

import pytest

from components.query_example_gen.executor import QueryExecutor
from pipeline.core.errors import ConfigError


def test_a_task_without_credentials_sends_no_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "absent.json"))
    with pytest.raises(ConfigError, match="no Google credentials for BigQuery"):
        QueryExecutor().Do({}, {}, {})
