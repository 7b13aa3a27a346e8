"""Runs the command `deploy`, and installs container tools with fixed answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from pipeline.cli import main
from pipeline.config import Config, load_config

ROOT = Path(__file__).parents[4]
CONFIGS = [ROOT / "configs/taxi.yaml", ROOT / "configs/overlays/kubeflow.yaml"]
ROOT_URI = "s3://bucket/pipelines"
DIGEST = f"sha256:{'1f' * 32}"
IMAGE = f"registry:5000/trainer@{DIGEST}"


def load_taxi_config() -> Config:
    return load_config(CONFIGS, [f"kubeflow.pipeline_root={ROOT_URI}"])


def install_tool(tools: Path, name: str, answer: Any) -> None:
    """Installs a container tool that prints `answer` as JSON; one without an answer fails."""
    script = "exit 1" if answer is None else f"cat <<'END'\n{json.dumps(answer)}\nEND"
    (tools / name).write_text(f'#!/bin/sh\necho "$0 $@" >>{tools}/asked\n{script}\n')
    (tools / name).chmod(0o755)


def deploy(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["deploy", *map(str, arguments)])
