"""The next steps after a run on Kubeflow, and their commands."""

from __future__ import annotations

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.config import Config, load_config
from pipeline.core.events import DagFailure, DataChecked, Finding
from pipeline.runners.kubeflow.page.advice import KubeflowPlace, deploy_again
from pipeline.runners.reporting.parts.next_steps import advise
from pipeline.terminal.summary import Summary

PARAMETERS = {"data-path": "/mnt/a b.csv", "overrides": "training.epochs=3\n\n"}
FINDING = Finding(
    column="color", kind="new_category", severity="stop", splits=("train",), problem="new values",
    expected="red", found="violet", examples=("violet",),
    accept="`--set validation.severity.new_category=warn`", against="the served model",
)  # fmt: skip


def make_files(status: str, config: Config | None = None, **fields: Any) -> Any:
    summary = Summary("taxi", "1f2e", "", status=status, **fields)
    return SimpleNamespace(summary=summary, config=config)


def test_the_command_repeats_the_parameters_of_the_run() -> None:
    command = shlex.split(deploy_again(PARAMETERS, "training.seed=1"))
    assert command[:6] == ["python", "-m", "pipeline", "deploy", "--package", "pipeline.yaml"]
    assert command[6:] == [
        "--parameter=data-path=/mnt/a b.csv",
        "--parameter=overrides=training.epochs=3",
        "--parameter=overrides=training.seed=1",
    ]


def test_after_a_gate_stop_the_command_accepts_the_finding() -> None:
    checked = DataChecked("the served model", (FINDING,))
    files = make_files("stopped by the data gate", findings=checked)
    steps = list(advise(files, KubeflowPlace(files, PARAMETERS)))
    assert "color" in steps[1].text
    assert "--parameter overrides=validation.severity.new_category=warn" in steps[1].text
    assert (steps[1].command or "").endswith(
        "--parameter=overrides=validation.severity.new_category=warn"
    )


@pytest.mark.parametrize(
    ("status", "first"),
    [
        ("pushed", "The model lies in /mnt/1 on the volume"),
        ("waiting", "The candidate waits in /mnt/.waiting/2 on the volume"),
        ("withdrawn", "To serve the version nevertheless"),
        ("serving check failed", "Look at the failed requests"),
        ("not blessed", "Look at the worst slices and the most wrong rows"),
        ("serving check failed", "Look at the failed requests and at the measurements"),
        ("failed", "raise the memory"),
        ("misconfigured", "raise the memory"),
        ("interrupted", "Run again: what is complete comes from the cache"),
    ],
)
def test_every_ending_has_advice(status: str, first: str) -> None:
    failure = DagFailure("killed", "raise the memory", component="Trainer")
    files = make_files(status, error=failure, pushed=str(Path("/mnt/1")), waiting="/mnt/.waiting/2")
    steps = list(advise(files, KubeflowPlace(files, {})))
    assert steps[0].text.startswith(first)


def test_missed_bounds_become_an_override() -> None:
    config = load_config([Path(__file__).parents[5] / "configs/penguins.yaml"])
    fields = {"metrics": {"": {"accuracy": 0.85}}, "missed": ("accuracy is too low",)}
    files = make_files("not blessed", config, **fields)
    _, accept = advise(files, KubeflowPlace(files, {}))
    *_, override = shlex.split(accept.command or "")
    assert override.startswith("--parameter=overrides=evaluation.thresholds=[{")
    assert '"at_least": 0.85' in override
