"""The group turns errors into messages and exit codes, here in processes as a user starts them."""

import subprocess
import sys

from command_process import ROOT


def command(*arguments: str) -> tuple[int, str]:
    process = subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments], cwd=ROOT, capture_output=True, text=True
    )
    return process.returncode, process.stdout + process.stderr


def test_help_names_the_commands() -> None:
    code, output = command("--help")
    assert code == 0
    for name in ("init", "run", "tune", "schema", "runs", "compile", "deploy"):
        assert f"\n  {name} " in output


def test_each_of_several_mistakes_has_its_line_and_its_hint() -> None:
    wrong = ("--set", "training.epoch=3", "--set", "training.seed=-1")
    code, output = command("run", "--config", "configs/taxi.yaml", *wrong)
    assert code == 2
    assert output.splitlines() == [
        "Error: --set training.epoch=3: training.epoch: unknown key",
        "  did you mean 'epochs'?",
        "Error: --set training.seed=-1: training.seed: must be greater than or equal to 0, not -1",
    ]
