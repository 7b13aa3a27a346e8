"""All that is proposed, section by section, with the reasons; what is written follows from it."""

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
from pipeline.core.errors import DataError
from pipeline.core.text import counted
from pipeline.onboarding.choosing.features import Features, choose_features
from pipeline.onboarding.choosing.sizing import Size, guess_size
from pipeline.onboarding.choosing.splits import (
    MOST_REHEARSED,
    Rehearsal,
    expect,
    find_key,
    guess_split,
    rehearse,
)
from pipeline.onboarding.choosing.thresholds import Bound, guess_bound
from pipeline.onboarding.guess import Guess
from pipeline.onboarding.judging.label import Label, guess_label
from pipeline.onboarding.reading.columns import Column
from pipeline.onboarding.table import Table

_FEWEST_LABELLED = 10
_MOST_SLICES = 2
_MOST_SLICE_VALUES = 10
_FEWEST_OF_SLICE = 30
_MANY_REPEATED = 0.2
_SAYS_NOTHING = frozenset("data dataset input sample table test tmp train training".split())


@dataclass(frozen=True)
class Plan:
    """A whole configuration, guess by guess."""

    name: str
    table: Table
    label: Label
    features: Features
    split: Guess[SplitConfig]
    rehearsal: Rehearsal
    size: Size
    bound: Bound
    slices: Guess[tuple[tuple[str, ...], ...]]
    warnings: tuple[str, ...]

    def to_config(self) -> Config:
        """The configuration, validated."""
        return _make_config(
            self.name, self.table, self.label, self.features, self.split.value,
            size=self.size,
            evaluation=EvaluationConfig(
                thresholds=(self.bound.threshold,), slices=self.slices.value
            ),
        )  # fmt: skip


def make_plan(table: Table, label_column: str) -> Plan:
    """Decides on everything.

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
    key = find_key(table.columns, label_column)
    split = guess_split(label, key)
    features = choose_features(table.columns, label, key, min(split.value.eval, split.value.test))
    name = _slug(table.patterns[0])
    rehearsal = _rehearse(_make_config(name, table, label, features, split.value), table, label)
    split = replace(split, value=rehearsal.split)
    bound = guess_bound(features.reach, rehearsal, features.untried)
    markers = [
        f"{name}: {word!r} is taken for a missing value, here and in every other column"
        for word, name in table.markers.unusual.items()
    ]
    warnings = (*label.warnings, *markers, *features.warnings, *_split_warnings(rehearsal, label))
    return Plan(
        name, table, label, features, split, rehearsal,
        size=guess_size(rehearsal.rows["train"], label.task.value),
        bound=bound,
        slices=_guess_slices(features, table.columns, rehearsal),
        warnings=(*warnings, bound.warning) if bound.warning else warnings,
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
    chosen = features.chosen
    sections = {"model": size.model(), "training": size.training()} if size else {}
    return Config(
        name=name,
        data=DataConfig(
            source=table.storage.source.value,
            path=table.patterns,
            types={n: guess.value for n, guess in features.column_types.items()},
            csv=table.csv,
            split=split,
        ),
        features={n: c.feature.value for n, c in chosen.items() if c.feature},
        label=LabelConfig(
            column=label.column,
            task=label.task.value,
            classes=label.classes.value,
            max_missing=label.max_missing.value,
        ),
        evaluation=evaluation or _any_evaluation(label),
        **sections,
    )


def _any_evaluation(label: Label) -> EvaluationConfig:
    metric = "r2" if label.task.value == "regression" else "accuracy"
    return EvaluationConfig(thresholds=(Threshold(metric=metric, at_least=0),))


def _rehearse(config: Config, table: Table, label: Label) -> Rehearsal:
    if table.scan.rows > MOST_REHEARSED:
        return expect(label, config.data.split)
    return rehearse(config, table.storage.paths)


def _split_warnings(rehearsal: Rehearsal, label: Label) -> list[str]:
    repeated, rows = rehearsal.repeated, sum(rehearsal.rows.values())
    if repeated <= _MANY_REPEATED * rows:
        return _gaps(rehearsal, label)
    return [
        f"{repeated:,} of {rows:,} rows equal an earlier one, and equal rows share a split: scores "
        "depend on few different rows and may be far from those of new ones",
        *_gaps(rehearsal, label),
    ]


def _gaps(rehearsal: Rehearsal, label: Label) -> list[str]:
    if rehearsal.counts.all():
        return []
    empty = [name for name, rows in rehearsal.rows.items() if not rows]
    if empty:
        return [f"the split {empty[0]} is empty whatever the seed: are most rows equal?"]
    names = list(rehearsal.rows)
    gaps = [
        f"{label.classes.value[c]!r} in {names[s]}" for s, c in np.argwhere(rehearsal.counts == 0)
    ]
    shown = ", ".join(gaps[:5]) + (f" and {len(gaps) - 5} more" if len(gaps) > 5 else "")
    return [f"classes too rare for every split: no row of {shown}"]


def _guess_slices(
    features: Features, columns: Mapping[str, Column], rehearsal: Rehearsal
) -> Guess[tuple[tuple[str, ...], ...]]:
    """One or two columns with few values, text before codes, that split the test rows."""
    candidates = [n for n, c in features.chosen.items() if c.feature and _is_slice(
        columns[n], c.feature.value.kind, rehearsal.rows["test"]
    )]  # fmt: skip
    ranked = sorted(candidates, key=lambda n: columns[n].is_number)[:_MOST_SLICES]
    why = "columns of few values" if ranked else "no column of few values has rows enough for it"
    return Guess(tuple((n,) for n in candidates if n in ranked), why)


def _is_slice(column: Column, kind: str, test_rows: int) -> bool:
    if kind not in ("categorical", "boolean") or column.missing > 0.05 * column.rows:
        return False
    shares = np.sort(column.counts)[::-1] / max(column.counts.sum(), 1)
    few = 2 <= len(shares) <= _MOST_SLICE_VALUES
    return bool(few and shares[1] * test_rows >= _FEWEST_OF_SLICE)


def _slug(pattern: str) -> str:
    """The pipeline's name: that of the file or, if it says nothing, that of the folder."""
    path = Path(pattern)
    stem, folder = path.name.split(".")[0], path.absolute().parent.name
    plain = [_as_slug(part) for part in (stem, folder) if not set(part) & set("*?[{")]
    telling = [slug for slug in plain if slug and slug not in _SAYS_NOTHING]
    return next(iter([*telling, *filter(None, plain), "table"]))


def _as_slug(text: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only.lower()).strip("-")[:63].strip("-")
