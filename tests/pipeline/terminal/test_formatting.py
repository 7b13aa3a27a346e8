"""Numbers in the tables of the terminal."""

from __future__ import annotations

import pytest

from pipeline.terminal.formatting import format_metric


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (float("nan"), "undefined"),
        (0.93012, "0.9301"),
        (1234.5, "1,234"),
        (12345678.0, "12,345,678"),
        (1e18, "1e+18"),
    ],
)
def test_metrics_are_short_but_large_values_have_all_digits(value: float | None, text: str) -> None:
    assert format_metric(value) == text
