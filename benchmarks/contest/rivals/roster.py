"""The names of the rivals, and which of them take part in a match."""

from __future__ import annotations

from benchmarks.contest.autogluon.rival import PYTHON as AUTOGLUON_PYTHON
from benchmarks.contest.rows import has_texts
from benchmarks.contest.search.trials import PACKAGES
from pipeline.config import Config

LIGHTGBM = "LightGBM"
HIST = "HistGradientBoosting"
TEXT = "TF-IDF, linear"
LIGHTGBM_SEARCHED, CATBOOST_SEARCHED = "LightGBM searched", "CatBoost searched"
AUTOGLUON = "AutoGluon"
RIVALS = (LIGHTGBM, HIST, TEXT, LIGHTGBM_SEARCHED, CATBOOST_SEARCHED, AUTOGLUON)


def list_rivals(config: Config) -> list[str]:
    """Returns the rivals of a match.

    A rival whose packages are not there, as in a match of `--quick`, takes no part.
    """
    is_there = {
        TEXT: has_texts(config),
        CATBOOST_SEARCHED: (PACKAGES / "catboost").exists(),
        AUTOGLUON: AUTOGLUON_PYTHON.exists(),
    }
    return [name for name in RIVALS if is_there.get(name, True)]
