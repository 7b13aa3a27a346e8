"""A written configuration is read as the same configuration."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from pipeline.config import load_config
from pipeline.config.yaml_text import to_yaml

CONFIGS = Path(__file__).parents[3] / "configs"


@pytest.mark.parametrize("name", ["taxi", "penguins"])
def test_a_configuration_survives(tmp_path: Path, name: str) -> None:
    config = load_config([CONFIGS / f"{name}.yaml"])
    path = tmp_path / "config.yaml"
    path.write_text(to_yaml(config.model_dump(mode="json", by_alias=True)), encoding="utf-8")
    assert load_config([path]) == config


def test_texts_that_look_like_other_values_stay_texts(tmp_path: Path) -> None:
    texts = ["no", "1e3", "null", "ü: #", "\u202e", "line\nbreak", "😀", " x ", "2026-11-23"]
    path = tmp_path / "content.yaml"
    written = to_yaml({"texts": texts})
    path.write_text(written, encoding="utf-8")
    assert all(line.isprintable() for line in written.split("\n"))
    assert "ü" in to_yaml({"texts": ["ü"]})
    assert YAML(typ="safe").load(path) == {"texts": texts}
