"""Calculates how long tables up to a terabyte take on a cluster, from two measured sizes.

`python -m benchmarks.engine.sizing SMALL LARGE` takes two results of `make bench-engine`, writes
the rates to docs/scale/rates.json, and the table into docs/scale.md. Two sizes tell the time of a
row from the time that every run needs. The calculation assumes that each TaskManager more does as
much as each of the two measured ones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine.runs import COMPONENTS, HERE, TASKMANAGERS, name_cluster
from benchmarks.markdown import fill_page, make_table
from benchmarks.measuring.machine import describe_machine
from benchmarks.measuring.process import ROOT
from pipeline.core.files import write_text_atomically

PAGE = ROOT / "docs/scale.md"
RATES = ROOT / "docs/scale/rates.json"
BEGIN = "<!-- The sizing table: written by benchmarks/engine/sizing.py. -->"
END = "<!-- End of the sizing table. -->"
SIZES = {"1 GB": 1e9, "10 GB": 1e10, "100 GB": 1e11, "1 TB": 1e12}
CLUSTERS = (2, 8, 32, 128)
_MOST = TASKMANAGERS[-1]


@dataclass(frozen=True)
class Line:
    """The seconds of a run's data work, as a straight line over its rows."""

    fixed: float
    """The seconds that a table without rows would take."""
    per_row: float

    @classmethod
    def through(cls, small: tuple[float, float], large: tuple[float, float]) -> Line:
        """Returns the line through two measurements, (rows, seconds) each.

        Raises:
          ValueError: more rows took no longer, so there is nothing to calculate with.
        """
        per_row = (large[1] - small[1]) / (large[0] - small[0])
        if not per_row > 0:
            raise ValueError(f"{large[0]:,} rows took {large[1]} s, {small[0]:,} rows {small[1]} s")
        return cls(max(small[1] - per_row * small[0], 0.0), per_row)

    def seconds(self, rows: float, speed: float = 1.0) -> float:
        """Returns the seconds for so many rows if each row is handled `speed` times as fast."""
        return self.fixed + self.per_row * rows / speed


@dataclass(frozen=True)
class Rates:
    """What was measured, as the calculation needs it."""

    measured_on: str
    """The commit and the machine."""
    rows: tuple[int, int]
    """The two sizes that were measured."""
    bytes_per_row: float
    written_per_row: float
    """The bytes that the steps of the jobs hand to each other."""
    here: Line
    """This machine without an engine."""
    cluster: Line
    """The cluster with `_MOST` TaskManagers."""


def find_rates(small: Mapping[str, Any], large: Mapping[str, Any]) -> Rates:
    """Returns the rates from the contents of two result files.

    Raises:
      ValueError: the files are of different commits or machines, or a check of a file failed.
    """
    about = [describe_machine(each["facts"]) for each in (small, large)]
    if about[0] != about[1]:
        raise ValueError(f"the files are not of one commit and machine: {about[0]} {about[1]}")
    if not (small["held"] and large["held"]):
        raise ValueError("the results on the cluster differed from those of this machine")
    figures = [small["figures"], large["figures"]]
    moved = large["figures"]["places"][name_cluster(_MOST)]["moved"]
    rows = large["figures"]["rows"]
    here, cluster = (
        Line.through(*[(f["rows"], _sum_seconds(f["places"][place])) for f in figures])
        for place in (HERE, name_cluster(_MOST))
    )
    return Rates(
        measured_on=about[0],
        rows=(small["figures"]["rows"], rows),
        bytes_per_row=large["figures"]["bytes"] / rows,
        written_per_row=sum(each["written"] for each in moved.values()) / rows,
        here=here,
        cluster=cluster,
    )


def calculate_hours(rates: Rates, rows: float, taskmanagers: int) -> float:
    """Returns the hours of ExampleGen, StatisticsGen, Transform and Evaluator on a cluster."""
    return rates.cluster.seconds(rows, taskmanagers / _MOST) / 3600


def make_sizing_table(rates: Rates) -> Iterator[str]:
    """Yields the lines of the table in docs/scale.md."""
    yield "**Calculated, not measured**, in hours of ExampleGen, StatisticsGen, Transform and"
    yield f"Evaluator. From {rates.rows[0]:,} and {rates.rows[1]:,} rows measured on:"
    yield rates.measured_on
    yield ""
    headings = ["table as CSV", "rows", "exchanged by the jobs", "that machine alone"]
    headings += [f"{count} TaskManagers" for count in CLUSTERS]
    yield from make_table(headings, [_list_cells(rates, *size) for size in SIZES.items()])


def _list_cells(rates: Rates, name: str, size: float) -> list[str]:
    rows = size / rates.bytes_per_row
    exchanged = rows * rates.written_per_row / 1e9
    return [
        name,
        f"{rows / 1e6:,.0f} million",
        f"{exchanged:,.1f} GB",
        _show_hours(rates.here.seconds(rows) / 3600),
        *(_show_hours(calculate_hours(rates, rows, count)) for count in CLUSTERS),
    ]


def read_rates(path: Path = RATES) -> Rates:
    """Returns the rates that `main` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    lines = {name: Line(**content[name]) for name in ("here", "cluster")}
    return Rates(**{**content, **lines, "rows": tuple(content["rows"])})


def make_page(page: str, rates: Rates) -> str:
    """Returns the page with the table between its marks."""
    return fill_page(page, BEGIN, END, ["", *make_sizing_table(rates), ""])


def main() -> None:
    """Writes the rates and the table."""
    small, large = (json.loads(Path(path).read_text(encoding="utf-8")) for path in sys.argv[1:3])
    rates = find_rates(small, large)
    RATES.parent.mkdir(exist_ok=True)
    text = json.dumps(asdict(rates), indent=1) + "\n"
    write_text_atomically(RATES, text, durable=False)
    page = make_page(PAGE.read_text(encoding="utf-8"), rates)
    write_text_atomically(PAGE, page, durable=False)
    print("\n".join(make_sizing_table(rates)))


def _sum_seconds(place: Mapping[str, Any]) -> float:
    return float(sum(place["seconds"][component] for component in COMPONENTS))


def _show_hours(hours: float) -> str:
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"


if __name__ == "__main__":
    main()
