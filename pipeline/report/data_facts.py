"""What the page says of the data in words and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from components.data_figures.figures import ColumnFigures, DataFigures, Distance
from components.model_figures.figures import (
    Dependence,
)
from components.statistics_view.distributions.wording import (
    MEANINGS,
    MEASURE_NAMES,
    describe_distance,
    format_distance,
)
from pipeline.core.events import Finding
from pipeline.report.content import DataPart
from pipeline.report.words import number

MOST_OPEN = 8
"""Columns with findings that the page opens: more would bury the parts below."""


def kind_words(column: ColumnFigures) -> str:
    """Returns what the run uses the column for."""
    role = "" if column.role == "feature" else "not used" if column.role == "other" else column.role
    return ", ".join(filter(None, (column.kind, role)))


def mixed_times(dependence: Sequence[Dependence], figures: DataFigures | None) -> list[str]:
    """Returns the timestamps whose dependence an earlier version measured over whole times."""
    columns = figures.columns if figures is not None else ()
    times = {column.name for column in columns if column.kind == "timestamp"}
    return [d.column for d in dependence if d.part is None and d.column in times]


def shares(rows: Mapping[str, int]) -> dict[str, float]:
    """Returns each split's share of all rows."""
    total = sum(rows.values()) or 1
    return {split: number_ / total for split, number_ in rows.items()}


def checked_against(data: DataPart) -> str | None:
    """Returns what the gate compared the data with; None if the gate did not report."""
    origin = data.checked_against
    if origin is not None and origin.startswith("itself"):
        return "a schema made from the same data"
    return origin


def share_of_limit(distance: Distance) -> str:
    """Returns how much of the allowed distance a column has moved, such as 64 % or 305 %."""
    if not distance.limit:
        return number(distance.value)
    return f"{100 * distance.value / distance.limit:,.0f} %"


def broken_but_closed(columns: Sequence[ColumnFigures]) -> list[tuple[int, ColumnFigures]]:
    """Returns the columns with findings that the page does not open, with their numbers."""
    broken = [column for column in columns if column.attention >= 1]
    return list(enumerate(broken, start=1))[MOST_OPEN:]


def distance_words(distance: Distance) -> str:
    """Returns a distance and what is allowed."""
    return describe_distance(distance.value, distance.limit)


def limit_words(distance: Distance) -> str:
    """Returns what a distance measures, and where its limit comes from."""
    name = MEASURE_NAMES.get(distance.measure, distance.measure)
    meaning = MEANINGS.get(distance.measure, "")
    threshold = format_distance(distance.threshold)
    return (
        f"{name}{f' ({meaning})' if meaning else ''}. Allowed are the configured {threshold} plus "
        "what chance explains in that many rows"
    )


def splits_words(finding: Finding, figures: DataFigures | None) -> str:
    """Returns where a finding holds."""
    names = set(finding.splits)
    if figures is not None and len(names) > 1 and names >= set(figures.rows):
        return "all splits"
    if finding.kind == "drift":
        return f"{', '.join(finding.splits)}, which the gate compares"
    return ", ".join(finding.splits)
