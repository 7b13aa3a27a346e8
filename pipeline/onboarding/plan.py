"""Decides on every section of the proposed configuration."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pipeline.config import (
    Config,
    DataConfig,
    EvaluationConfig,
    LabelConfig,
    SplitConfig,
    Threshold,
)
from pipeline.config.sections.features import Text
from pipeline.core.errors import DataError
from pipeline.core.text import counted
from pipeline.onboarding.choosing.budget import Load, measure_load
from pipeline.onboarding.choosing.class_warnings import warn_of_classes
from pipeline.onboarding.choosing.division import Division, choose_division
from pipeline.onboarding.choosing.features import Features, choose_features
from pipeline.onboarding.choosing.many_rows import limit_trees
from pipeline.onboarding.choosing.sizing import Size, guess_size
from pipeline.onboarding.choosing.splits import (
    MOST_ROWS_DIVIDED,
    SplitCounts,
    choose_seed,
    count_by_time,
    estimate_counts,
    guess_split,
    select_train_by_time,
)
from pipeline.onboarding.choosing.thresholds import Bound, guess_bound
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.label import Label, guess_label
from pipeline.onboarding.overrides import NO_OVERRIDES, Overrides
from pipeline.onboarding.past_runs import warn_of_other_table
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.table import Table

_FEWEST_LABELLED = 10
"""Rows with a label: with fewer, eval and test would have about one row each."""
_MOST_SLICES = 2
"""Sliced columns: bounds the length of the evaluation report."""
_MOST_SLICE_VALUES = 10
"""Values of a sliced column: bounds the length of the evaluation report."""
_FEWEST_ROWS_OF_SLICE = 30
"""Expected test rows of the second most frequent value: with fewer, its metrics say little."""
_MOST_MISSING_IN_SLICE = 0.05
"""Share of rows without a value in a sliced column: they belong to no slice."""
_MANY_REPEATED = 0.2
"""Share of repeated rows that earns a warning: the scores then depend on far fewer rows."""
_ADVICE_ON_CELLS = "to use it, join its items to one text, or write one column for each"
_LONGEST_NAME = 63
"""The longest name that the configuration allows."""
_MEANINGLESS_NAMES = frozenset("data dataset input sample table test tmp train training".split())


@dataclass(frozen=True)
class Plan:
    """A whole configuration with the reason for each guess."""

    name: str
    table: Table
    label: Label
    features: Features
    split: Guess[SplitConfig]
    split_counts: SplitCounts
    division: Division
    size: Size
    load: Load
    bound: Bound
    slices: Guess[tuple[tuple[str, ...], ...]]
    warnings: tuple[str, ...]

    def to_config(self) -> Config:
        """Returns the configuration, validated."""
        return _make_config(
            self.name, self.table, self.label, self.features, self.split.value,
            size=self.size,
            evaluation=EvaluationConfig(
                thresholds=(self.bound.threshold,), slices=self.slices.value
            ),
        )  # fmt: skip


def make_plan(table: Table, label_column: str, overrides: Overrides = NO_OVERRIDES) -> Plan:
    """Decides on everything that `overrides` leave open.

    Raises:
      ConfigError: the label has too many values for classes, or no column is left to learn from.
      DataError: the label is constant or missing, or too few rows have one.
    """
    label = guess_label(table.scan, table.columns[label_column], table.markers)
    if sum(label.counts) < _FEWEST_LABELLED:
        raise DataError(
            f"only {counted(sum(label.counts), 'row')} with a label",
            f"train, eval and test need at least {_FEWEST_LABELLED} together",
        )
    division = choose_division(table.columns, label_column, overrides)
    split = guess_split(label, division)
    in_train = None
    if division.times is not None:
        label_values = table.columns[label_column]
        in_train = select_train_by_time(label, label_values, division.times, split.value)
    features = choose_features(
        table.columns,
        label,
        division,
        min(split.value.eval, split.value.test),
        overrides.exclude,
        in_train,
    )
    name = _make_pipeline_name(table.patterns[0])
    config = _make_config(name, table, label, features, split.value)
    split_counts = _count_splits(config, table, label, division)
    split = replace(split, value=split_counts.split)
    bound = guess_bound(features.baseline, split_counts, features.unscored)
    train_rows = split_counts.rows["train"]
    texts = sum(isinstance(feature, Text) for feature in features.proposed.values())
    size = guess_size(train_rows, label.task.value, texts, label.outputs)
    distinct = {n: table.columns[n].distinct for n in features.proposed}
    load = measure_load(features.proposed, distinct, label.outputs, size.text_tokens)
    return Plan(
        name, table, label, features, split, split_counts, division,
        size=limit_trees(size, train_rows, load, label.outputs),
        load=load,
        bound=bound,
        slices=_guess_slices(features, table.columns, split_counts),
        warnings=(
            *warn_of_other_table(name, table.storage.paths),
            *_warn_of_markers(table),
            *_warn_of_unreadable(table),
            *features.warnings,
            *_warn_of_split(split_counts),
            *warn_of_classes(label, split_counts),
            *([bound.warning] if bound.warning else []),
        ),
    )  # fmt: skip


def _make_config(
    name: str,
    table: Table,
    label: Label,
    features: Features,
    split: SplitConfig,
    size: Size | None = None,
    evaluation: EvaluationConfig | None = None,
) -> Config:
    sections = {}
    if size:
        sections = {"model": size.to_model_config(), "training": size.to_training_config()}
    return Config(
        name=name,
        data=DataConfig(
            source=table.storage.source.value,
            path=table.patterns,
            types={n: guess.value for n, guess in features.column_types.items()},
            csv=table.csv,
            split=split,
        ),
        features=features.proposed,
        label=LabelConfig(
            column=label.column,
            task=label.task.value,
            classes=label.classes.value,
            max_missing=label.max_missing.value,
        ),
        evaluation=evaluation or _placeholder_evaluation(label),
        **sections,
    )


def _placeholder_evaluation(label: Label) -> EvaluationConfig:
    """A configuration must have a threshold, even one that only serves to divide the rows."""
    metric = "r2" if label.task.value == "regression" else "accuracy"
    return EvaluationConfig(thresholds=(Threshold(metric=metric, at_least=0),))


def _count_splits(config: Config, table: Table, label: Label, division: Division) -> SplitCounts:
    if division.times is not None:
        return count_by_time(label, table.columns[label.column], division.times, config.data.split)
    if table.scan.rows > MOST_ROWS_DIVIDED:
        return estimate_counts(label, config.data.split)
    return choose_seed(config, table.storage.paths)


def _warn_of_markers(table: Table) -> list[str]:
    return [
        f"{name}: {word!r} is taken for a missing value, here and in every other column"
        for word, name in table.markers.unusual.items()
    ]


def _warn_of_unreadable(table: Table) -> list[str]:
    return [
        f"{name}: left out, a cell of type {kind} is not one value; {_ADVICE_ON_CELLS}"
        for name, kind in table.unreadable.items()
    ]


def _warn_of_split(split_counts: SplitCounts) -> list[str]:
    if empty := [name for name, rows in split_counts.rows.items() if not rows]:
        return [f"no seed gives the split {empty[0]} any row: are most rows equal?"]
    repeated, rows = split_counts.repeated, sum(split_counts.rows.values())
    if repeated <= _MANY_REPEATED * rows:
        return []
    return [
        f"{repeated:,} of {rows:,} rows equal an earlier one, and equal rows share a split: scores "
        "depend on few different rows and may be far from the scores of new rows"
    ]


def _guess_slices(
    features: Features, columns: Mapping[str, Column], split_counts: SplitCounts
) -> Guess[tuple[tuple[str, ...], ...]]:
    """Returns one or two columns of few values that divide the test rows, text before codes."""
    test_rows = split_counts.rows["test"]
    candidates = [
        name
        for name, choice in features.chosen.items()
        if choice.feature and _can_slice(columns[name], choice.feature.value.kind, test_rows)
    ]
    ranked = sorted(candidates, key=lambda n: columns[n].is_number)[:_MOST_SLICES]
    why = "metrics are also computed for each value of these columns"
    if not ranked:
        why = "no column has few values with enough test rows each"
    return Guess(tuple((n,) for n in candidates if n in ranked), why)


def _can_slice(column: Column, kind: str, test_rows: int) -> bool:
    if kind not in ("categorical", "boolean"):
        return False
    if column.missing > _MOST_MISSING_IN_SLICE * column.rows:
        return False
    shares = np.sort(column.counts)[::-1] / max(column.counts.sum(), 1)
    has_few_values = 2 <= len(shares) <= _MOST_SLICE_VALUES
    return bool(has_few_values and shares[1] * test_rows >= _FEWEST_ROWS_OF_SLICE)


def _make_pipeline_name(pattern: str) -> str:
    """Returns the name of the file or, if that is meaningless, of its folder."""
    path = Path(pattern)
    stem, folder = path.name.split(".")[0], path.absolute().parent.name
    slugs = [_to_slug(part) for part in (stem, folder) if not set(part) & set("*?[{")]
    meaningful = [slug for slug in slugs if slug and slug not in _MEANINGLESS_NAMES]
    return next(iter([*meaningful, *filter(None, slugs), "table"]))


def _to_slug(text: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:_LONGEST_NAME].strip("-")
