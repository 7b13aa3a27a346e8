"""Records runs of every kind for the tests of pages: `python record_runs.py runs.tar.gz`.

It takes four minutes. The archive leaves out models, logs and pages: no page is made from them.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[4]
sys.path[:0] = [str(ROOT / "tests/e2e")]
from support import SHOP_CONFIG, Project, shop_table, write_csv  # noqa: E402

LONG = ("--set", "training.epochs=4000", "--set", "training.early_stopping_patience=0")
KEPT = (".json", ".jsonl", ".yaml", ".db", ".parquet", ".pb")
LEFT_OUT = ("report.json", "saved_model.pb", "SchemaDiff.pb")


def main(archive: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        project = Project(Path(directory) / "shop")
        project.directory.mkdir()
        names = record(project)
        (project.directory / "names.json").write_text(json.dumps(names, indent=1))
        with tarfile.open(archive, "w:gz") as file:
            for path in sorted(project.directory.rglob("*")):
                if path.suffix in KEPT and path.name not in LEFT_OUT:
                    file.add(path, path.relative_to(project.directory))


def record(project: Project) -> dict[str, str]:
    """Makes the runs, and returns their names by kind."""
    names: dict[str, str] = {"home": str(project.directory)}

    def note(kind: str, code: int, expected: int) -> None:
        assert code == expected, f"{kind}: {code}"
        names[kind] = max(path.name for path in (project.directory / "out/logs").iterdir())

    project.write("my.yaml", f"{SHOP_CONFIG}  slices: [[color]]\n")
    write_csv(project.directory / "shop.csv", shop_table(600))
    note("pushed", project.run().code, 0)
    note("cached", project.run().code, 0)
    demand = "evaluation.thresholds=[{metric: auc, at_least: 0.999}]"
    note("not blessed", project.run("--set", demand).code, 4)
    diverging = ("training.learning_rate=1.0e+30", "model.hidden_units=[9]")
    note("failed", project.run("--set", diverging[0], "--set", diverging[1]).code, 1)
    note("interrupted", end_run(project, signal.SIGTERM, *LONG), 130)
    note("died", end_run(project, signal.SIGKILL, *LONG, "--set", "training.seed=1"), -9)
    note("retrained", project.run("--set", "training.seed=5").code, 0)
    write_csv(project.directory / "shop.csv", wrong_table())
    note("stopped", project.run().code, 3)
    write_csv(project.directory / "shop.csv", shop_table(600, seed=3))
    note("pushed again", project.run().code, 0)
    return names


def wrong_table() -> dict[str, list[object]]:
    """Returns a table that the gate stops: other prices and a new color."""
    table = shop_table(600, seed=1)
    table["price"] = [price * 10 for price in table["price"]]
    table["color"] = ["violet" if i % 5 == 0 else c for i, c in enumerate(table["color"])]
    return table


def end_run(project: Project, how: signal.Signals, *arguments: str) -> int:
    """Runs until the third epoch, ends the command by a signal, and returns its exit code."""
    logs = project.directory / "out/logs"
    before = {*logs.iterdir()}
    command = ("-m", "pipeline", "run", "--config", "my.yaml", "--output", "out", *arguments)
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=project.directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while not any('"epoch": 3' in read_events(run) for run in {*logs.iterdir()} - before):
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(how)
    code = process.wait()
    while read_lock_holders(project):
        time.sleep(0.1)
    return code


def read_events(run: Path) -> str:
    path = run / "events.jsonl"
    return path.read_text() if path.exists() else ""


def read_lock_holders(project: Project) -> list[str]:
    """Returns the processes that still hold the lock of the output directory."""
    holders = (project.directory / "out/.lock").read_text().split()
    return [pid for pid in holders if Path(f"/proc/{pid}").exists()]


if __name__ == "__main__":
    main(*sys.argv[1:])
