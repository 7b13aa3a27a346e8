"""Missing credentials for BigQuery are reported before anything is loaded."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from pipeline.cli import main

CONFIG = """\
name: sales
data: {source: bigquery, query: SELECT 1, split: {by: key, column: shop}}
features: {price: numeric}
label: {column: sold, task: binary, classes: [0, 1]}
evaluation: {thresholds: [{metric: auc, at_least: 0.6}]}
"""


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (None, "absent.json was not found"),
        ("{}", "not have a valid type"),
        ("[]", "absent.json: "),
        ("\0\1\2", "absent.json: "),
        ('{"type": "service_account"}', "Failed to load service account credentials"),
        ('{"type": "external_account", "audience": 7}', "absent.json: "),
    ],
)
def test_missing_or_unreadable_credentials_are_a_configuration_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, cause: str
) -> None:
    file = tmp_path / "absent.json"
    if content is not None:
        file.write_text(content)
    (tmp_path / "my.yaml").write_text(CONFIG)
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))
    arguments = ["run", "--config", str(tmp_path / "my.yaml"), "--output", str(tmp_path / "out")]
    done = CliRunner().invoke(main, arguments, env={"COLUMNS": "400"})
    assert done.exit_code == 2, done.output
    message = " ".join(done.stderr.split())
    assert "data.source: no Google credentials for BigQuery: GOOGLE_APPLICATION" in message
    assert cause in message
    assert "Error('" not in message
    assert "gcloud auth application-default login" in message
