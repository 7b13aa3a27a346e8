"""The content of the page that compares two runs, and of the JSON beside it.

One run is called `before`, the other one `after`. A difference is always after minus before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from components.data_figures.figures import Distance
from components.model_figures.figures import Estimate

Judgement = Literal["drift", "more missing values", "within the limits", "not judged"]
"""`not judged`: the gate compares features and the label, but no times, ids and free texts."""


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    asked: str
    """How the user named the run, such as `served`, a version or the run's name."""
    pipeline: str
    run: str
    """The name of the run's log directory."""
    started: str
    """ISO 8601 with an offset."""
    status: str
    """A word of `pipeline/terminal/summary.py`, such as "pushed" or "not blessed"."""
    version: str | None
    """The served version, if the run pushed one."""
    rows: Mapping[str, int]
    """Rows by split; empty if unknown."""


@dataclass(frozen=True)
class Change:
    """A key whose value differs between the runs."""

    key: str
    before: str | None
    """None if only the other run has the key."""
    after: str | None


@dataclass(frozen=True)
class ColumnChange:
    """A column of the table, in both runs."""

    name: str
    judgement: Judgement
    """By the rules of the later run's data gate, as if it had the earlier run's data as its
    reference."""
    distance: Distance | None
    """Between the distributions in split train; None where they cannot be compared. Of a column
    that is not judged, the threshold is 0."""
    missing_before: float | None
    """The share of rows without a value, over all splits; None if the table lacks the column."""
    missing_after: float | None
    missing_limit: float | None
    """The greatest share that the gate allows; None if one of the tables lacks the column."""
    note: str
    """Why there is no distance; empty if there is one."""


@dataclass(frozen=True)
class MetricChange:
    """One metric of both models."""

    name: str
    before: Estimate
    after: Estimate
    difference: Estimate
    """After minus before."""
    is_better: bool | None
    """None if chance explains the difference, or if the metric is neither good nor bad."""


@dataclass(frozen=True)
class SliceChange:
    """One metric on one slice of the common rows."""

    name: str
    """Such as `payment_type=Cash`."""
    examples: int
    change: MetricChange


@dataclass(frozen=True)
class ChangedRow:
    """A row on which the two models answer differently."""

    row_before: int
    """The row's number in the evaluated split of the run before."""
    row_after: int
    label: str
    """In the later run."""
    label_before: str
    """In the earlier run: another one if a person corrected the label."""
    answer_before: str
    answer_after: str
    size: float
    """How far the answers lie apart: a difference of probabilities, or in the label's unit."""
    cells: Mapping[str, str]
    """By column; empty if `report.rows` is false in one of the configurations."""


@dataclass(frozen=True)
class CommonRows:
    """The rows that the evaluated splits of both runs hold."""

    rows_before: int
    """Rows of the evaluated split of the run before."""
    rows_after: int
    common: int
    columns: tuple[str, ...]
    """The columns by whose cells the rows were matched: all but the label."""
    relabelled: int
    """Common rows whose labels differ. The later run's label judges both models."""
    changed: int
    """Common rows with another answer: another class, or a number that differs by more than a
    tenth of the labels' standard deviation."""
    became_right: int | None
    """Among them, the rows that only the later model answers right; None in a regression."""
    became_wrong: int | None
    changed_rows: tuple[ChangedRow, ...]
    """The greatest change first, at most 20."""


@dataclass(frozen=True)
class Comparison:
    """Two runs side by side."""

    format: int
    """The version of this layout: 1."""
    before: Side
    after: Side
    headline: str
    """The result in one sentence."""
    configuration: tuple[Change, ...]
    """By key, defaults included."""
    code: tuple[Change, ...]
    """The digests of the code by component."""
    versions: tuple[Change, ...]
    """By package."""
    data: tuple[Change, ...]
    """Files, fingerprint and rows."""
    columns: tuple[ColumnChange, ...]
    """The column that changed most comes first."""
    metric: str | None
    """The metric that decides: the first one with a threshold."""
    metrics: tuple[MetricChange, ...]
    paired: bool
    """Whether the metrics and their differences come from the common rows."""
    slices: tuple[SliceChange, ...]
    """By `metric`, the slice that worsened most first."""
    rows: CommonRows | None
    """None if the rows of the runs cannot be matched."""
    notes: tuple[str, ...]
    """One sentence for each part that could not be compared, and why."""
