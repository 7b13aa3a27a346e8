"""TensorBoard shows what a run writes for it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tiny_models import Trained, refit

pytestmark = pytest.mark.slow


def test_tensorboard_shows_losses_weights_and_the_rate(binary: Trained, tmp_path: Path) -> None:
    refit(
        binary,
        tmp_path,
        epochs=2,
        loop="custom",
        schedule={"decay": "cosine"},
        tensorboard={"histograms": True, "profile_steps": [20, 22]},
    )
    [profile] = tmp_path.glob("run/**/*.xplane.pb")
    assert profile.stat().st_size > 0
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    # `make tensorboard` calls the same command of the same environment.
    command = Path(sys.executable).with_name("tensorboard")
    server = subprocess.Popen([command, "--logdir", tmp_path, "--port", str(port)])
    try:
        scalars = wait_for(server, f"http://localhost:{port}/data/plugin/scalars/tags")
        histograms = wait_for(server, f"http://localhost:{port}/data/plugin/histograms/tags")
    finally:
        server.terminate()
        server.wait()
    assert {"epoch_loss", "epoch_learning_rate"} <= set(scalars["run/train"])
    assert "epoch_loss" in scalars["run/validation"]
    assert any("dense" in tag for tag in histograms["run/train"])


def wait_for(server: subprocess.Popen[bytes], url: str) -> dict[str, Any]:
    """Returns the tags by run once TensorBoard has found the training run."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url) as answer:
                tags: dict[str, Any] = json.load(answer)
        except OSError:
            tags = {}
        if tags.get("run/train"):
            return tags
        time.sleep(0.2)
    raise AssertionError(f"nothing at {url}")
