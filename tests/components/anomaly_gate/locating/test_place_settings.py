"""The columns that locate a row follow from the configuration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from components.anomaly_gate.locating.place_settings import PlaceSettings
from pipeline.config import Config


def _settings() -> Iterator[tuple[dict[str, Any], PlaceSettings]]:
    times = {"at": {"kind": "timestamp", "format": "day_first"}, "x": {"kind": "numeric"}}
    yield {"features": times}, PlaceSettings(time="at", time_format="day_first")
    yield {"split": {"by": "time", "column": "x"}}, PlaceSettings(time="x")
    split = {"by": "time", "column": "x", "time_format": "iso"}
    yield {"features": times, "split": split}, PlaceSettings(time="x", time_format="iso")
    yield {"split": {"by": "key", "column": "x"}}, PlaceSettings(key="x")


@pytest.mark.parametrize(("sections", "expected"), _settings())
def test_time_and_key_follow_from_the_configuration(
    sections: dict[str, Any], expected: PlaceSettings
) -> None:
    config = Config.model_validate(
        {
            "name": "small",
            "data": {"path": "table.csv", "split": sections.get("split", {})},
            "features": sections.get("features", {"x": "numeric"}),
            "label": {"column": "y", "task": "binary", "classes": ["no", "yes"]},
            "evaluation": {"thresholds": [{"metric": "auc", "at_least": 0.5}]},
        }
    )
    assert PlaceSettings.of(config.features, config.data.split) == expected
