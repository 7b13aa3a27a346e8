"""A rise of missing values is allowed up to the tolerance, and what chance adds in small tables."""

import pytest

from components.statistics_view.column_summary import ColumnSummary
from components.statistics_view.missing_rise import find_missing_limit


def column(missing: int, rows: int) -> ColumnSummary:
    return ColumnSummary("a", 0, rows, missing)


def test_chance_widens_the_limit_of_small_tables_only() -> None:
    large = find_missing_limit(column(200_000, 1_000_000), column(50_000, 1_000_000), 0.1, 1)
    assert large == pytest.approx(0.15, abs=0.003)
    small = find_missing_limit(column(20, 100), column(5, 100), 0.1, 1)
    # The two-sample test of proportions at 0.1 %: 3.29 standard errors of a pooled share of 12.5 %.
    assert small == pytest.approx(0.15 + 3.29 * (0.125 * 0.875 * 2 / 100) ** 0.5, abs=0.001)


def test_more_compared_columns_leave_more_to_chance() -> None:
    limits = [find_missing_limit(column(20, 100), column(5, 100), 0.1, n) for n in (1, 50)]
    assert limits[0] < limits[1]
