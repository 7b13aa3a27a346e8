"""The content of `data_figures.json`: what the page of a run shows about the data.

Imports nothing heavy: the command line reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SERVED = "served"
"""The sample of the served model's training data, beside the splits of this run."""
Role = Literal["feature", "label", "weight", "other"]


@dataclass(frozen=True)
class NumberSummary:
    """The values of a number in one sample; None where the sample has no value."""

    minimum: float | None
    lower_quartile: float | None
    median: float | None
    upper_quartile: float | None
    maximum: float | None
    mean: float | None
    standard_deviation: float | None
    zeros: float
    """The share of zeros among the values, 0 to 1."""


@dataclass(frozen=True)
class Histogram:
    """The distribution of a number in all samples, over the same bins."""

    edges: tuple[float, ...]
    """Ascending, finite [bins + 1]. A bin holds its lower edge; the last one both.

    The outermost bins also hold the values beyond the edges, so that outliers hide nothing.
    """
    shares: Mapping[str, tuple[float, ...]]
    """By sample, the share of the values in each bin [bins]."""


@dataclass(frozen=True)
class ValueShares:
    """The distribution of a category or of text in all samples, over the most frequent values."""

    values: tuple[str, ...]
    """The most frequent value first, at most 20."""
    shares: Mapping[str, tuple[float, ...]]
    """By sample, the share of each value [values] among the rows that have one."""
    other: Mapping[str, float]
    """By sample, the share of all values that are not listed."""


@dataclass(frozen=True)
class Distance:
    """How far two samples of a column lie apart, and how far they may."""

    measure: str
    """jensen_shannon_divergence or infinity_norm."""
    value: float
    threshold: float
    """The configured threshold."""
    limit: float
    """The threshold and what chance explains: a greater value is a finding."""


@dataclass(frozen=True)
class ColumnFigures:
    """One column of the table."""

    name: str
    role: Role
    kind: str
    """The feature kind of the configuration, such as numeric; for the label its task."""
    type: Literal["integer", "number", "text"]
    missing: Mapping[str, float]
    """By sample, the share of rows without a value, 0 to 1."""
    distinct: int | None
    """Of texts and codes over all splits, where more than 1,000 are a lower bound; of numbers in
    `distinct_rows` rows. None if it was not counted."""
    numbers: Mapping[str, NumberSummary]
    """By sample; empty for text."""
    histogram: Histogram | None
    values: ValueShares | None
    drift: Distance | None
    """Split train against the served model's; None without one, and for columns not compared."""
    skew: Mapping[str, Distance]
    """By split: that split against split train."""
    with_label: float | None
    """The association with the label, 0 to 1; see `Associations`."""
    attention: float
    """How much the column needs attention: 0 is nothing, 1 and more is a finding."""
    reasons: tuple[str, ...]
    """Why, in short sentences; the first one weighs most."""
    distinct_rows: int | None = None
    """For numbers, the rows of a sample of split train; None for texts and codes, and in figures
    of an earlier version."""


@dataclass(frozen=True)
class Associations:
    """How much each of two columns tells about the other.

    Two numbers: the absolute rank correlation (Spearman). Two categories: Cramer's V with the
    correction of Bergsma (2013). A number and a category: the correlation ratio eta of the number's
    ranks, corrected for the number of categories.
    """

    columns: tuple[str, ...]
    """The label first, then the features with the strongest association with it, at most 30."""
    matrix: tuple[tuple[float | None, ...], ...]
    """0 to 1, [columns, columns]; None where a column has one value only."""
    rows: int
    """The rows of split train that were read; all of them, or a sample."""


@dataclass(frozen=True)
class DataFigures:
    """All figures about the data of a run."""

    rows: Mapping[str, int]
    """By split."""
    label: str
    compared_with: str | None
    """The version of the served model whose data is the sample `served`, or None."""
    columns: tuple[ColumnFigures, ...]
    """The column that needs most attention first."""
    associations: Associations | None
    notes: tuple[str, ...]
    """One sentence for each figure that could not be made, and why."""
