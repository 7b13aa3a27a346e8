"""Commands shown to the user can be copied: they are quoted, and name this environment."""

import sys
from pathlib import Path

import pytest

from pipeline.core.commands import assignment, pipeline_command, tool_path


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """An interpreter in a directory with a blank in its name, started from there."""
    root = tmp_path / "my project"
    (root / "data").mkdir(parents=True)
    monkeypatch.setattr(sys, "executable", str(root / ".venv/bin/python3.10"))
    monkeypatch.chdir(root)
    return root


def test_programs_below_the_working_directory_have_relative_paths(environment):
    expected = ".venv/bin/python3.10 -m pipeline run --config 'my own.yaml'"
    assert pipeline_command("run", "--config", Path("my own.yaml")) == expected
    assert tool_path("saved_model_cli") == ".venv/bin/saved_model_cli"


def test_other_programs_have_absolute_paths(environment, monkeypatch):
    monkeypatch.chdir(environment / "data")
    expected = f"'{environment}/.venv/bin/python3.10' -m pipeline init"
    assert pipeline_command("init") == expected


def test_an_assignment_is_quoted_where_a_shell_would_split_it():
    assert assignment("training.epochs", 3) == "--set training.epochs=3"
    assert assignment("label.column", "a b") == "--set 'label.column=a b'"
