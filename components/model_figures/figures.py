"""The content of `model_figures.json`: what the page of a run shows about the model.

Imports nothing heavy: the command line reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# The page takes both types from here.
from components.predictions.estimates import Estimate as Estimate
from components.predictions.estimates import Gap as Gap


@dataclass(frozen=True)
class MetricFigures:
    """One metric on the whole split."""

    name: str
    candidate: Estimate
    served: Estimate | None
    """The served model on the same rows; None without one."""
    difference: Estimate | None
    """Candidate minus served model, by a paired bootstrap."""
    constant: float | None
    """A constant guess: the share of each class, or the mean label, of the same rows."""


@dataclass(frozen=True)
class SliceFigures:
    """One slice."""

    name: str
    """Such as `payment_type=Cash`."""
    columns: tuple[str, ...]
    examples: int
    metrics: Mapping[str, Estimate]


@dataclass(frozen=True)
class Curve:
    """A line through points."""

    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Bin:
    """The rows whose prediction lies in an interval."""

    predicted: float
    """The mean prediction."""
    observed: Estimate
    """The share of positives, or the mean label."""
    examples: int


@dataclass(frozen=True)
class Histogram:
    """Counts over the same bins, by group: the classes of a label, or one group."""

    edges: tuple[float, ...]
    counts: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class ThresholdRow:
    """The confusion matrix of a binary model, positive from a probability on."""

    threshold: float
    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@dataclass(frozen=True)
class BinaryFigures:
    """A binary classification. The confusion matrix is the row of `thresholds` at 0.5."""

    roc: Curve
    """False positive rate, true positive rate."""
    served_roc: Curve | None
    precision_recall: Curve
    """Recall, precision."""
    served_precision_recall: Curve | None
    calibration: tuple[Bin, ...]
    scores: Histogram
    """Predicted probabilities by class."""
    thresholds: tuple[ThresholdRow, ...]
    """Ascending, 0.5 among them."""


@dataclass(frozen=True)
class ClassFigures:
    """One class against the rest."""

    name: str
    examples: int
    precision: float | None
    recall: float | None
    f1: float | None
    auc: float | None
    roc: Curve | None
    """For the ten classes with the worst F1 only."""


@dataclass(frozen=True)
class Mixup:
    """Rows of one class that were predicted as another one."""

    label: str
    predicted: str
    examples: int
    share: float
    """Among the rows of the class `label`."""


@dataclass(frozen=True)
class MulticlassFigures:
    """A multiclass classification."""

    classes: tuple[ClassFigures, ...]
    """The class with the worst F1 first."""
    confusion_classes: tuple[str, ...]
    """The most frequent classes, at most 30; if there are more, the last stands for the rest."""
    confusion: tuple[tuple[int, ...], ...]
    """Rows by [label, predicted class]."""
    mixups: tuple[Mixup, ...]
    """The largest first, at most 20."""
    calibration: tuple[Bin, ...]
    """Of the probability of the predicted class."""


@dataclass(frozen=True)
class Decile:
    """A tenth of the rows, by prediction."""

    predicted: float
    label: float
    mean_absolute_error: float
    examples: int


@dataclass(frozen=True)
class RegressionFigures:
    """A regression, in the label's unit."""

    residuals: Histogram
    """Label minus prediction; the outermost bins hold everything beyond them."""
    edges: tuple[float, ...]
    """Of the bins of label and prediction."""
    predicted_against_true: tuple[tuple[int, ...], ...]
    """Rows by [bin of the label, bin of the prediction]."""
    deciles: tuple[Decile, ...]
    absolute_error_quantiles: Mapping[str, float]
    """Such as {"50 %": 1.2, "90 %": 4.5, "99 %": 20.1}."""


@dataclass(frozen=True)
class WrongRow:
    """One of the rows with the greatest loss."""

    row: int
    """The row's number in the evaluated split."""
    label: str
    predicted: str
    probability: float | None
    """The predicted probability of the label; None in a regression."""
    loss: float
    """Log loss, or absolute error."""
    cells: Mapping[str, str]
    """The features by column; empty if `report.rows` is false."""


@dataclass(frozen=True)
class Importance:
    """What the model loses without the information of one column."""

    column: str
    permuted: Estimate
    """The rise of the loss if the column's values are shuffled among the rows."""
    missing: float | None
    """The rise of the loss if the column has no value in any row."""
    unknown: float | None
    """The rise of the loss if the column has a value that training never saw; None for numbers."""


@dataclass(frozen=True)
class Dependence:
    """How the mean prediction changes with one column, all others as they are."""

    column: str
    values: tuple[str, ...]
    """Texts of the values; ascending for numbers."""
    positions: tuple[float, ...] | None
    """The values of a number; None for a category."""
    means: Mapping[str, tuple[float, ...]]
    """By output (the positive class, the most frequent classes, or "prediction"): the mean."""
    lows: Mapping[str, tuple[float, ...]]
    """The first decile over the rows."""
    highs: Mapping[str, tuple[float, ...]]
    """The ninth decile over the rows."""
    part: str | None = None
    """The part of a timestamp that changes, such as hour or weekday; None for other columns."""


@dataclass(frozen=True)
class ModelFigures:
    """All figures about the model of a run."""

    task: str
    classes: tuple[str, ...]
    split: str
    """The evaluated split."""
    examples: int
    """Rows of the split."""
    bootstrap_examples: int
    """Rows from which the intervals come: all of them, or a sample."""
    baseline: str | None
    """The version of the served model, or None."""
    metrics: tuple[MetricFigures, ...]
    slices: tuple[SliceFigures, ...]
    """The worst first, by the first metric with a threshold."""
    gaps: tuple[Gap, ...]
    binary: BinaryFigures | None
    multiclass: MulticlassFigures | None
    regression: RegressionFigures | None
    wrong_rows: tuple[WrongRow, ...]
    """The greatest loss first, at most 20."""
    loss: str
    """The name of the loss of `importance`: log loss or mean absolute error."""
    importance: tuple[Importance, ...]
    """The most important column first."""
    importance_examples: int
    """Rows from which the importance comes."""
    dependence: tuple[Dependence, ...]
    """Of the ten most important columns."""
    notes: tuple[str, ...]
    """One sentence for each figure that could not be made, and why; and one if the figures come
    from a sample of the rows."""
