"""A workspace that an earlier version of the project made goes on working with this version."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from archives import ARCHIVES, unpack

ASK = """
import sys
import tensorflow as tf
row = {"amount": 30.0, "country": "FR", "visits": 2, "ordered_at": "2026-03-01 18:30:00"}
model = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
columns = model.structured_input_signature[1]
answer = model(**{name: tf.constant([[row[name]]], columns[name].dtype) for name in columns})
print(float(answer["probability"][0]))
"""


def probability_of(version: Path) -> float:
    """What a served version answers, asked by a process that knows nothing of the project."""
    process = subprocess.run(
        [sys.executable, "-I", "-c", ASK, version], capture_output=True, text=True, check=True
    )
    return float(process.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name.partition(".")[0])
def test_an_earlier_workspace_goes_on_working(archive: Path, tmp_path: Path) -> None:
    project = unpack(archive, tmp_path)
    before = json.loads((project.serving / "served.json").read_text(encoding="utf-8"))
    listed = project.command("runs", "--output", "out").output
    assert "pushed" in listed
    assert "interrupted" in listed
    assert before["version"] in listed

    for run in sorted((project.directory / "out/logs").iterdir()):
        page = project.command("report", run.name, "--output", "out")
        assert page.code == 0, page.output
        report = json.loads((run / "report.json").read_text(encoding="utf-8"))
        assert report["training"]["epochs"]
        assert len(report["lineage"]["artifacts"]) >= 9

    table = project.directory / "orders.csv"
    rows = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join([*rows, *rows[1:61]]), encoding="utf-8")
    result = project.run(config="shop.yaml")
    assert result.code == 0, result.output
    assert set(result.summary["baseline_metrics"]) >= {"auc", "log_loss"}
    assert f"the served model {before['version']}" in result.summary["findings"]["checked_against"]
    after = json.loads((project.serving / "served.json").read_text(encoding="utf-8"))
    assert after["version"] != before["version"]
    assert after["baseline"]["version"] == before["version"]
    assert not project.unfinished()
    # Earlier code made the backup of the interrupted training: it stays, and the run says so once.
    [left] = (project.directory / "out" / "backups").glob("*/checkpoint")
    told = f"{left.parent} has a backup, but of a training with other code, settings or rows"
    assert told in result.output
    for version in (before["version"], after["version"]):
        assert 0 < probability_of(project.serving / version) < 1

    again = project.run(config="shop.yaml")
    assert again.code == 0, again.output
    assert set(again.states().values()) == {"cached"}

    # The earlier version kept no record of its version; its successor has saved the record.
    back = project.command("rollback", "--output", "out")
    assert back.code == 0, back.output
    pointer = json.loads((project.serving / "served.json").read_text(encoding="utf-8"))
    assert (pointer["version"], pointer["run_key"]) == (before["version"], before["run_key"])
