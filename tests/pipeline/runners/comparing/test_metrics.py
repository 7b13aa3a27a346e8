"""A difference counts only if chance does not explain it."""

import numpy as np
import pytest
from predictions_for_pairs import binary, regression
from recorded_runs import Recorded

from components.model_figures.figures import Estimate
from components.predictions.metrics import metrics
from pipeline.report.comparison import MetricChange
from pipeline.runners.comparing.metrics import (
    _subtract,
    compare_paired,
    compare_slices,
    compare_unpaired,
)
from pipeline.runners.reporting.gather import gather_report

RANDOM = np.random.default_rng(1)
ROWS = 600
LABELS = RANDOM.integers(0, 2, ROWS)
GOOD = np.clip(LABELS * 0.5 + RANDOM.normal(0.25, 0.15, ROWS), 0.01, 0.99)
BAD = np.clip(LABELS * 0.1 + RANDOM.normal(0.45, 0.2, ROWS), 0.01, 0.99)


def by_name(changes: tuple[MetricChange, ...]) -> dict[str, MetricChange]:
    return {change.name: change for change in changes}


def test_a_better_model_is_better_in_every_direction() -> None:
    changes = by_name(compare_paired(binary(BAD, LABELS), binary(GOOD, LABELS)))
    assert changes["auc"].is_better is True
    assert changes["auc"].difference.value
    assert changes["auc"].difference.value > 0
    assert changes["log_loss"].is_better is True
    assert changes["log_loss"].difference.value
    assert changes["log_loss"].difference.value < 0
    assert changes["calibration"].is_better is None
    worse = by_name(compare_paired(binary(GOOD, LABELS), binary(BAD, LABELS)))
    assert worse["auc"].is_better is False
    expected = metrics(LABELS, BAD.astype(np.float32), "binary", ("no", "yes"))
    assert worse["auc"].after.value == pytest.approx(expected["auc"])


def test_noise_is_neither_better_nor_worse() -> None:
    noisy = np.clip(GOOD + RANDOM.normal(0, 0.02, ROWS), 0.01, 0.99)
    changes = by_name(compare_paired(binary(GOOD, LABELS), binary(noisy, LABELS)))
    assert changes["auc"].is_better is None


def test_a_regression_has_its_own_metrics() -> None:
    labels = RANDOM.normal(0, 1, ROWS)
    before, after = regression(labels + 1, labels), regression(labels + 0.1, labels)
    changes = by_name(compare_paired(before, after))
    assert changes["mae"].is_better is True


def test_the_slice_that_worsened_most_comes_first() -> None:
    mixed = np.where(np.arange(ROWS) < ROWS // 2, GOOD, BAD)
    slices = compare_slices(binary(GOOD, LABELS), binary(mixed, LABELS), "auc", least=30)
    assert [s.name for s in slices] == ["half=second", "half=first"]
    assert slices[0].change.is_better is False
    assert slices[1].change.difference.value == 0
    assert compare_slices(binary(GOOD, LABELS), binary(mixed, LABELS), "auc", least=301) == ()


def test_runs_without_common_rows_are_compared_by_their_intervals(recorded: Recorded) -> None:
    one, two = (
        gather_report(recorded.workspace, recorded.names[kind])
        for kind in ("pushed", "pushed again")
    )
    change = by_name(compare_unpaired(one, two))["auc"]
    assert change.is_better is None
    low, high = change.difference.low, change.difference.high
    assert low is not None
    assert high is not None
    assert low < 0 < high
    assert "examples" not in by_name(compare_unpaired(one, two))


def test_independent_intervals_are_combined_by_squares() -> None:
    difference = _subtract(Estimate(5.0, 2.0, 9.0), Estimate(1.0, 0.0, 5.0))
    assert difference == Estimate(4.0, -1.0, 4 + 17**0.5)
    assert _subtract(Estimate(5.0, None, None), Estimate(1.0, 0.0, 5.0)) == Estimate(
        4.0, None, None
    )
    assert _subtract(Estimate(None, None, None), Estimate(1.0, 0.0, 5.0)).value is None
