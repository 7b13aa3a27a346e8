"""A time moves along one part, keeps the other parts, and stays written as it was."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from components.model_figures.sensitivity.time_parts import choose_part_grid
from pipeline.config.sections.features import TimestampPart


def texts(*cells: str) -> np.ndarray:
    return np.array([cell.encode() for cell in cells], object)


@pytest.mark.parametrize(
    ("time_format", "part", "before", "after"),
    [
        ("iso", "hour", "2026-04-06 09:07:06", "2026-04-06 23:07:06"),
        ("iso", "hour", "2026-04-06T09:07:06.5+01:00", "2026-04-06T23:07:06.5+01:00"),
        ("iso", "weekday", "20260406", "20260412"),
        ("iso", "month", "2026-01-31", "2026-12-28"),
        ("iso", "year", "2024-02-29", "2027-02-28"),
        ("month_first", "hour", "4/6/2026 09:07:06 AM", "4/6/2026 11:07:06 PM"),
        ("month_first", "day", "04/06/26", "04/28/26"),
        ("iso", "day_of_year", "2025-01-31T09:07", "2025-12-31T09:07"),
        ("iso", "date", "2024-01-31T09:07", "2026-04-06T09:07"),
        ("day_first", "weekday", "30.3.2026 14:40", "05.4.2026 14:40"),
    ],
)
def test_a_text_keeps_its_other_parts_and_its_format(
    time_format: str, part: str, before: str, after: str
) -> None:
    grid = choose_part_grid(texts(before, after), time_format, part)
    assert grid is not None
    assert grid.cells[-1].tolist()[0] == after.encode()


@pytest.mark.parametrize(
    ("time_format", "units"), [("epoch_seconds", 1), ("epoch_milliseconds", 1000)]
)
def test_a_number_keeps_its_minutes(time_format: str, units: int) -> None:
    monday = 1_775_433_906 * units  # 2026-04-06 00:05:06 UTC
    grid = choose_part_grid(np.array([monday, monday + 3600 * units]), time_format, "hour")
    assert grid is not None
    assert grid.texts == ("0", "1")
    assert grid.positions == (0.0, 1.0)
    assert grid.cells[1].tolist() == [monday + 3600 * units] * 2
    assert grid.cells[0].dtype == np.int64


def test_names_stand_for_weekdays_and_months() -> None:
    dates = texts("2026-04-06", "2026-04-08", "2026-05-06")
    weekdays = choose_part_grid(dates, "iso", "weekday")
    months = choose_part_grid(dates, "iso", "month")
    assert weekdays is not None
    assert months is not None
    assert (weekdays.texts, weekdays.positions) == (("Monday", "Wednesday"), None)
    assert months.texts == ("April", "May")


@pytest.mark.parametrize("part", get_args(TimestampPart))
def test_a_model_may_see_each_part(part: str) -> None:
    grid = choose_part_grid(texts("2024-01-21T09:07", "2025-04-07T10:07"), "iso", part)
    assert grid is not None
    assert len(grid.cells) == 2


def test_dates_are_named_by_their_day() -> None:
    grid = choose_part_grid(texts("2026-04-06 10:00", "2026-04-08 11:00"), "iso", "date")
    assert grid is not None
    assert (grid.texts, grid.positions) == (("2026-04-06", "2026-04-08"), None)


def test_cells_that_hold_no_time_stay() -> None:
    cells = texts("2026-04-06", "2026-04-07", "never", "__MISSING__", "2026-02-30")
    grid = choose_part_grid(cells, "iso", "weekday")
    assert grid is not None
    assert all(moved.tolist()[2:] == cells.tolist()[2:] for moved in grid.cells)
    numbers = np.array([np.nan, 0.0, 86_400.0])
    grid = choose_part_grid(numbers, "epoch_seconds", "day")
    assert grid is not None
    assert np.isnan(grid.cells[0][0])


def test_a_part_with_one_value_has_no_grid() -> None:
    assert choose_part_grid(texts("2026-04-06", "2026-04-07"), "iso", "month") is None
    assert choose_part_grid(texts("2026-04-06", "2026-04-07"), "iso", "hour") is None
    assert choose_part_grid(texts("never"), "iso", "hour") is None


def test_many_values_are_thinned_out() -> None:
    hours = texts(*[f"2026-04-06 {hour:02}:00" for hour in range(24)])
    grid = choose_part_grid(hours, "iso", "hour")
    assert grid is not None
    assert len(grid.texts) == 12
    assert (grid.texts[0], grid.texts[-1]) == ("0", "23")
