"""Commands that are shown can be copied: by relative path if it is a short one, and quoted."""

import sys
from pathlib import Path

import pytest

from pipeline.core.commands import pipeline_command, tool_path


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An interpreter in a directory with a blank in its name, started from there."""
    root = tmp_path / "my project"
    (root / "data").mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(root / ".venv/bin/python3.10"))
    monkeypatch.chdir(root)
    return root


def test_below_the_directory_paths_are_relative(environment):
    expected = ".venv/bin/python3.10 -m pipeline run --config 'my own.yaml'"
    assert pipeline_command("run", "--config", Path("my own.yaml")) == expected
    assert tool_path("saved_model_cli") == ".venv/bin/saved_model_cli"


def test_elsewhere_paths_are_whole(environment, monkeypatch):
    monkeypatch.chdir(environment / "data")
    expected = f"'{environment}/.venv/bin/python3.10' -m pipeline init"
    assert pipeline_command("init") == expected
