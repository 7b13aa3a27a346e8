"""The proposed file is written whole or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.onboarding import propose_config


def test_existing_file_is_replaced_only_by_force(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    Path("trees.csv").write_text(to_csv(signal()))
    output = Path("config.yaml")
    output.write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        propose_config(["trees.csv"], "y", output)
    assert output.read_text() == "mine"
    propose_config(["trees.csv"], "y", output, force=True)
    assert load_config([output]).label.column == "y"


def test_failed_write_leaves_no_file_behind(tmp_path, monkeypatch, signal, to_csv):
    monkeypatch.chdir(tmp_path)
    Path("trees.csv").write_text(to_csv(signal()))
    Path("file").touch()
    with pytest.raises(ConfigError, match="cannot be written"):
        propose_config(["trees.csv"], "y", Path("file/config.yaml"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "trees.csv"]


def test_onboarding_imports_no_tensorflow():
    code = "import sys, pipeline.onboarding; print({'tensorflow', 'tfx'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
