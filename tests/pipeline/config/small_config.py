"""A small valid configuration, and loading it with changes."""

from __future__ import annotations

from pathlib import Path

from pipeline.config import Config, load_config

CONFIGS = Path(__file__).parents[3] / "configs"
TAXI = CONFIGS / "taxi.yaml"
SMALL = """\
name: small
data:
  path: table.csv
features:
  fare: numeric
  "a.b (x)": {kind: categorical, vocabulary_size: 5}
label: {column: y, task: binary, classes: [no, yes]}
evaluation:
  thresholds:
    - {metric: auc, at_least: 0.7}
"""


def write(directory: Path, text: str, name: str = "my.yaml") -> Path:
    """Writes a configuration file and returns its path."""
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def load(directory: Path, *assignments: str, text: str = SMALL) -> Config:
    """Loads `text` from a file in `directory` with assignments as of `--set`."""
    return load_config([write(directory, text)], assignments)
