"""What a training needs of the machine is looked for before any component starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[4]
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("training.strategy=tpu", "training.strategy: no TPU: the environment names none"),
        pytest.param(
            "training.devices=[0, 1]",
            "training.devices: there is no GPU 1; this machine has none",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_what_the_machine_has_not_is_told_before_any_work(
    tmp_path: Path, assignment: str, told: str
) -> None:
    command = [sys.executable, "-m", "pipeline", "run", "--config", "configs/penguins.yaml"]
    done = subprocess.run(
        [*command, "--set", assignment, "--output", str(tmp_path / "out")],
        cwd=ROOT,
        env={**os.environ, **NO_GPU},
        capture_output=True,
        text=True,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 2, output
    assert f"Error: {told}" in output
    assert "ExampleGen" not in output
