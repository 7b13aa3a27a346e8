"""Which rivals take part in a match."""

from pathlib import Path

import pytest

from benchmarks.contest.rivals import roster
from benchmarks.contest.rivals.__main__ import FITS
from pipeline.config import load_config

CONFIG = Path(__file__).parents[4] / "configs/penguins.yaml"


def test_every_rival_can_be_fitted() -> None:
    assert tuple(FITS) == roster.RIVALS


def test_rivals_without_their_packages_or_their_kind_of_column_take_no_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "PACKAGES", tmp_path)
    monkeypatch.setattr(roster, "AUTOGLUON_PYTHON", tmp_path / "python")
    names = ["LightGBM", "HistGradientBoosting", "LightGBM searched"]
    config = load_config([CONFIG])
    assert roster.list_rivals(config) == names
    (tmp_path / "catboost").mkdir()
    (tmp_path / "python").touch()
    assert roster.list_rivals(config) == [*names, "CatBoost searched", "AutoGluon"]
    assert "TF-IDF, linear" in roster.list_rivals(load_config([CONFIG], ["features.sex=text"]))
