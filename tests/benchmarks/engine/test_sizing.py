"""The sizing table in docs/scale.md is calculated from two measured sizes."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine.runs import COMPONENTS, HERE
from benchmarks.engine.sizing import (
    BEGIN,
    END,
    PAGE,
    RATES,
    Line,
    calculate_hours,
    find_rates,
    make_page,
    make_sizing_table,
    read_rates,
)

FACTS = {"commit": "abc1234", "cpus": 2, "memory_gb": 24, "machine": "x86_64", "python": "3.10"}


def make_result(rows: int, here: float, two: float, **changes: Any) -> dict[str, Any]:
    """A result of `make bench-engine`; `here` and `two` are the seconds of each component."""
    moved = {name: {"jobs": 1, "read": 5 * rows, "written": 10 * rows} for name in COMPONENTS}
    places = {
        HERE: {"seconds": {**dict.fromkeys(COMPONENTS, here), "Trainer": 99.0}},
        "2 TaskManagers": {"seconds": dict.fromkeys(COMPONENTS, two), "moved": moved},
    }
    figures = {"rows": rows, "bytes": 100 * rows, "places": places}
    return {"facts": FACTS, "held": True, "figures": figures} | changes


SMALL, LARGE = make_result(1_000_000, 5.0, 15.0), make_result(10_000_000, 50.0, 60.0)


def test_a_row_and_the_start_are_told_apart() -> None:
    rates = find_rates(SMALL, LARGE)
    assert rates.cluster == Line(fixed=pytest.approx(40.0), per_row=pytest.approx(20e-6))
    assert rates.here == Line(fixed=pytest.approx(0.0), per_row=pytest.approx(20e-6))
    assert (rates.bytes_per_row, rates.written_per_row) == (100, 40)


def test_more_taskmanagers_shorten_the_rows_but_not_the_start() -> None:
    rates = find_rates(SMALL, LARGE)
    assert calculate_hours(rates, 10_000_000, 2) * 3600 == pytest.approx(240)
    assert calculate_hours(rates, 10_000_000, 8) * 3600 == pytest.approx(40 + 50)
    assert calculate_hours(rates, 0, 128) * 3600 == pytest.approx(40)


def test_a_terabyte_is_in_the_table() -> None:
    last = list(make_sizing_table(find_rates(SMALL, LARGE)))[-1]
    assert last.startswith("| 1 TB | 10,000 million | 400.0 GB | 56 | 56 | 14 |")


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (make_result(10_000_000, 50.0, 60.0, facts={**FACTS, "commit": "def"}), "not of one"),
        (make_result(10_000_000, 50.0, 60.0, held=False), "differed"),
        (make_result(10_000_000, 50.0, 14.0), "10,000,000 rows took"),
    ],
)
def test_results_that_do_not_go_together_are_refused(other: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        find_rates(SMALL, other)


def test_the_page_has_the_table_of_its_rates() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page.count(BEGIN) == page.count(END) == 1
    if RATES.exists():
        assert make_page(page, read_rates()) == page


def test_a_table_is_replaced_not_added(tmp_path: Path) -> None:
    rates = find_rates(SMALL, LARGE)
    once = make_page(f"before\n{BEGIN}\n{END}\nafter\n", rates)
    assert make_page(once, rates) == once
    assert once.startswith("before\n")
    assert once.endswith("after\n")
