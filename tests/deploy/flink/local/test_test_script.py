"""`make test-engine` ends the cluster that it has started, and no other one."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[4] / "scripts/test_engine.sh"
PYTHON = """#!/bin/sh
echo "$*" >>called
case "$*" in
*is-up) exit {is_up} ;;
*pytest*) exit 3 ;;
esac
"""


@pytest.mark.parametrize(
    ("is_up", "commands"), [(1, ["is-up", "up", "tests", "down"]), (0, ["is-up", "tests"])]
)
def test_a_cluster_that_runs_already_is_left_alone(
    tmp_path: Path, is_up: int, commands: list[str]
) -> None:
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(SCRIPT, tmp_path / "scripts")
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(PYTHON.format(is_up=is_up))
    python.chmod(0o755)
    assert subprocess.run(["/bin/sh", script], cwd=tmp_path).returncode == 3
    called = (tmp_path / "called").read_text().splitlines()
    assert [line.split()[-1].partition("/")[0] for line in called] == commands
