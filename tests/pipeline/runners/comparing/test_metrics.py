"""A difference counts only if chance does not explain it."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from predictions_for_pairs import binary, regression
from recorded_runs import Recorded

from components.predictions.metrics import metrics
from pipeline.report.comparison import MetricChange
from pipeline.runners.comparing.metrics import (
    compare_paired,
    compare_slices,
    compare_unpaired,
)
from pipeline.runners.comparing.pair import Pair
from pipeline.runners.reporting.gather import gather_report

RANDOM = np.random.default_rng(1)
ROWS = 600
LABELS = RANDOM.integers(0, 2, ROWS)
GOOD = np.clip(LABELS * 0.5 + RANDOM.normal(0.25, 0.15, ROWS), 0.01, 0.99)
BAD = np.clip(LABELS * 0.1 + RANDOM.normal(0.45, 0.2, ROWS), 0.01, 0.99)


def by_name(changes: tuple[MetricChange, ...]) -> dict[str, MetricChange]:
    return {change.name: change for change in changes}


def test_a_better_model_is_better_in_every_direction() -> None:
    changes = by_name(compare_paired(Pair(binary(BAD, LABELS), binary(GOOD, LABELS))))
    assert changes["auc"].is_better is True
    assert changes["auc"].difference.value
    assert changes["auc"].difference.value > 0
    assert changes["log_loss"].is_better is True
    assert changes["log_loss"].difference.value
    assert changes["log_loss"].difference.value < 0
    assert changes["calibration"].is_better is None
    worse = by_name(compare_paired(Pair(binary(GOOD, LABELS), binary(BAD, LABELS))))
    assert worse["auc"].is_better is False
    expected = metrics(LABELS, BAD.astype(np.float32), "binary", ("no", "yes"))
    assert worse["auc"].after.value == pytest.approx(expected["auc"])


def test_noise_is_neither_better_nor_worse() -> None:
    noisy = np.clip(GOOD + RANDOM.normal(0, 0.02, ROWS), 0.01, 0.99)
    changes = by_name(compare_paired(Pair(binary(GOOD, LABELS), binary(noisy, LABELS))))
    assert changes["auc"].is_better is None


def test_a_regression_has_its_own_metrics() -> None:
    labels = RANDOM.normal(0, 1, ROWS)
    before, after = regression(labels + 1, labels), regression(labels + 0.1, labels)
    changes = by_name(compare_paired(Pair(before, after)))
    assert changes["mae"].is_better is True


def test_the_slice_that_worsened_most_comes_first() -> None:
    mixed = np.where(np.arange(ROWS) < ROWS // 2, GOOD, BAD)
    models = Pair(binary(GOOD, LABELS), binary(mixed, LABELS))
    slices = compare_slices(models, "auc", least=30)
    assert [s.name for s in slices] == ["half=second", "half=first"]
    assert slices[0].change.is_better is False
    assert slices[1].change.difference.value == 0
    assert compare_slices(models, "auc", least=301) == ()


def test_runs_without_common_rows_are_compared_by_their_intervals(recorded: Recorded) -> None:
    reports = Pair("pushed", "pushed again").map(
        lambda kind: gather_report(recorded.workspace, recorded.names[kind])
    )
    change = by_name(compare_unpaired(reports))["auc"]
    assert change.is_better is None
    low, high = change.difference.low, change.difference.high
    assert low is not None
    assert high is not None
    assert low < 0 < high
    assert "examples" not in by_name(compare_unpaired(reports))


def test_the_slice_whose_calibration_moved_away_from_one_comes_first() -> None:
    labels = np.ones(200)
    first = np.arange(200) < 100
    # The one half falls from 1.2 to 0.9, nearer to 1; the other half rises from 1 to 1.05.
    half = pa.array(np.where(first, "nearer", "farther"))
    before = replace(regression(np.where(first, 1.2, 1.0), labels), slices={"half": half})
    after = replace(regression(np.where(first, 0.9, 1.05), labels), slices={"half": half})
    slices = compare_slices(Pair(before, after), "calibration", least=30)
    assert [s.name for s in slices] == ["half=farther", "half=nearer"]


def test_a_precision_of_one_from_four_rows_is_not_better() -> None:
    labels = np.arange(200) % 2
    before = np.where(np.arange(200) % 10 < 7, 0.4, 0.6)
    before = np.where((labels == 1) & (before > 0.5) & (np.arange(200) < 60), 0.4, before)
    after = np.full(200, 0.4)
    after[[1, 3, 5, 7]] = 0.6
    change = by_name(compare_paired(Pair(binary(before, labels), binary(after, labels))))[
        "precision"
    ]
    assert (change.after.value, change.after.examples) == (1.0, 4)
    assert change.before.value
    assert change.before.value < 1
    assert change.is_better is None
    assert change.difference.low
    assert change.difference.low < 0
