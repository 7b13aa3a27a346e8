"""The values at which the model is asked occur in the data."""

from __future__ import annotations

import numpy as np
import pytest

from components.model_figures.sensitivity.grid import choose_grid
from pipeline.core.contracts import MISSING_INT


def test_numbers_are_quantiles_without_the_outliers() -> None:
    cells = np.append(np.random.default_rng(0).normal(size=999), 1e30).astype(np.float32)
    grid = choose_grid(cells, "numeric", "")
    assert len(grid.values) == 20
    assert list(grid.positions) == sorted(grid.positions)
    assert max(grid.positions) < 5
    assert np.isin(grid.values, cells).all()
    assert grid.texts[0] == str(grid.values[0])


def test_missing_numbers_are_no_values() -> None:
    grid = choose_grid(np.array([np.nan, 2, np.inf], np.float32), "numeric", "")
    assert grid.texts == ("2.0",)
    assert choose_grid(np.full(3, np.nan, np.float32), "numeric", "").texts == ()
    codes = np.array([MISSING_INT, 4, 4, 5])
    assert choose_grid(codes, "categorical", "").texts == ("4", "5")


def test_categories_are_the_most_frequent_ones() -> None:
    cells = np.array([b"b", b"a", b"a", b"__MISSING__"] + [b"%d" % i for i in range(30)], object)
    grid = choose_grid(cells, "categorical", "")
    assert grid.texts[0] == "a"
    assert len(grid.texts) == 12
    assert grid.positions is None
    assert "__MISSING__" not in grid.texts


def test_points_in_time_as_numbers_are_spread() -> None:
    grid = choose_grid(np.arange(1_400_000_000, 1_400_001_000), "timestamp", "epoch_seconds")
    assert len(grid.positions) == 20
    assert grid.texts[0] == "1400000010"


@pytest.mark.parametrize(
    ("time_format", "dates"),
    [
        ("iso", [b"2025-11-30", b"2025-12-01", b"2026-01-01"]),
        ("month_first", [b"11/30/2025", b"12/01/2025", b"01/01/2026"]),
        ("day_first", [b"30.11.2025", b"01.12.2025", b"01.01.2026"]),
    ],
)
def test_dates_are_in_the_order_of_time_as_written(time_format: str, dates: list[bytes]) -> None:
    cells = np.array([*dates[::-1], b"never", b"__MISSING__"], object)
    grid = choose_grid(cells, "timestamp", time_format)
    assert [t for t in grid.texts if t != "never"] == [d.decode() for d in dates]


def test_at_most_twenty_dates_from_the_first_to_the_last() -> None:
    dates = [f"2026-{1 + i // 28:02}-{1 + i % 28:02}".encode() for i in range(300)]
    grid = choose_grid(np.array(dates, object), "timestamp", "iso")
    assert len(grid.texts) == 20
    assert (grid.texts[0], grid.texts[-1]) == (dates[0].decode(), dates[-1].decode())
