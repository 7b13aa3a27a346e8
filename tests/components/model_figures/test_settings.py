"""The settings of the figures come from the configuration."""

from __future__ import annotations

from pathlib import Path

from components.model_figures.settings import FigureSettings
from pipeline.config import load_config

TAXI = Path(__file__).parents[3] / "configs/taxi.yaml"


def make(*assignments: str) -> FigureSettings:
    config = load_config([TAXI], assignments)
    return FigureSettings.of(config.features, config.label, config.evaluation, config.report)


def test_the_settings_are_read_back_from_their_json() -> None:
    settings = make("report.rows=false")
    assert FigureSettings.model_validate_json(settings.to_json()) == settings
    assert settings.rows is False
    assert settings.time_formats == {"trip_start_timestamp": "epoch_seconds"}


def test_slices_of_thresholds_and_gaps_count_once() -> None:
    threshold = "{metric: auc, at_least: 0.5, slice_by: [payment_type]}"
    gap = "{metric: auc, at_most: 0.5, slice_by: [payment_type, company]}"
    settings = make(f"evaluation.thresholds=[{threshold}]", f"evaluation.gaps=[{gap}]")
    assert settings.slicings == [
        ("payment_type",), ("trip_start_hour",), ("company", "payment_type"),
    ]  # fmt: skip


def test_the_first_threshold_leads() -> None:
    assert make().leading_metric == ("auc", "auc")
