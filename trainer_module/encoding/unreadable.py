"""Refuses a column of times, or a text column of numbers, if too many values cannot be read.

A value that cannot be read counts as missing. Without this check, a wrong format or a thousands
separator would go unnoticed: the anomaly gate does not know formats, and metrics do not show them
at once. Where the values are few enough, the component notes how many count as missing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_transform as tft
from tensorflow_transform.beam.experimental import PTransformAnalyzer

from pipeline.config.base import dotted
from pipeline.config.sections.features import Bucketized, Feature, Numeric, Timestamp
from pipeline.core.commands import assignment
from pipeline.core.contracts import MISSING_STRING
from pipeline.core.date_formats import TimeColumn
from pipeline.core.errors import NOTE_FILE, REFUSAL_FILE, DataError
from pipeline.core.files import write_text_atomically
from pipeline.core.text import list_first, shorten
from trainer_module.encoding.values import as_text

_MOST_DESCRIBED = 3
"""Columns that the message describes; it counts the rest, to stay short."""
_MOST_EXAMPLES = 3
"""Distinct values that the message quotes for a column."""
_MOST_SEARCHED = 100
"""Values of a batch that are searched for distinct examples, which bounds the work."""
_LONGEST_EXAMPLE = 40
"""Characters of a quoted value; a longer value is cut off."""

_Counts = npt.NDArray[np.int64]
_Batch = tuple[_Counts, npt.NDArray[np.object_]]


Readable = Timestamp | Numeric | Bucketized
"""The kinds of features whose values may be unreadable."""


@dataclass(frozen=True)
class ReadColumn:
    """A column before and after its values are read."""

    raw: tf.Tensor
    """The column as it is in the data, [batch, 1]."""
    is_valid: tf.Tensor
    """Whether the value could be read: bool [batch, 1]."""
    feature: Readable


def select_readable(
    raw: Mapping[str, tf.Tensor], parsed: Mapping[str, Any], features: Mapping[str, Feature]
) -> dict[str, ReadColumn]:
    """Returns the columns to check: all columns of times, and text columns read as numbers.

    Args:
      raw: the raw columns, [batch, 1], by name.
      parsed: the parsed columns, by name.
      features: all features, by column.
    """
    columns = {}
    for name, feature in features.items():
        if feature.kind == "timestamp":
            columns[name] = ReadColumn(raw[name], parsed[name].is_valid, feature)
        elif feature.kind in ("numeric", "bucketized") and raw[name].dtype == tf.string:
            columns[name] = ReadColumn(raw[name], ~tf.math.is_nan(parsed[name]), feature)
    return columns


def check_readable(columns: Mapping[str, ReadColumn]) -> None:
    """Adds an analysis to Transform that checks all columns in one pass.

    The analysis reads all rows of the training split. If the share of values that cannot be read
    exceeds `max_unreadable` for a column, the analysis writes a refusal file, see REFUSAL_FILE;
    otherwise, if there are any such values, a note, see NOTE_FILE.
    """
    if not columns:
        return
    counts, examples = [], []
    for column in columns.values():
        text = tf.reshape(as_text(column.raw), [-1])
        is_present = (text != MISSING_STRING) & (tf.strings.strip(text) != "")
        is_unreadable = is_present & ~tf.reshape(column.is_valid, [-1])
        unreadable = tf.boolean_mask(text, is_unreadable)
        counts.append(tf.stack([tf.size(unreadable, tf.int64), tf.math.count_nonzero(is_present)]))
        # One example per line: a single string per column holds any number of examples.
        some, _ = tf.unique(tf.strings.regex_replace(unreadable[:_MOST_SEARCHED], r"[\r\n]", " "))
        examples.append(tf.strings.reduce_join(some[:_MOST_EXAMPLES], separator="\n"))
    tft.experimental.ptransform_analyzer(
        [tf.stack(counts), tf.stack(examples)],
        _Check({name: column.feature for name, column in columns.items()}),
        output_dtypes=[tf.float32],
        output_shapes=[[len(columns)]],
    )


class _Check(PTransformAnalyzer):
    """Returns the share of values that cannot be parsed, float32 [columns].

    Takes batches of counts, int64 [columns, 2] (values that cannot be parsed, values present), and
    of examples, string [columns].
    """

    def __init__(self, features: Mapping[str, Readable]) -> None:
        super().__init__()
        self._features = dict(features)

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        tally = batches | beam.CombineGlobally(_Tally(len(self._features)))
        return tally | beam.Map(_judge, features=self._features, directory=self.base_temp_dir)


def _judge(
    seen: _Seen, features: Mapping[str, Readable], directory: str
) -> npt.NDArray[np.float32]:
    """Returns the shares, and writes a refusal or a note to `directory` if a share is not zero."""
    unreadable, present = seen.counts.T
    shares: npt.NDArray[np.float64] = unreadable / np.maximum(1, present)
    found = [
        _Found(name, feature, unreadable[column], present[column], seen.examples[column])
        for column, (name, feature) in enumerate(features.items())
        if unreadable[column]
    ]
    if refused := [one for one in found if one.share > one.feature.max_unreadable]:
        _write(directory, REFUSAL_FILE, _make_error(refused).to_json())
    elif found:
        _write(directory, NOTE_FILE, _make_note(found))
    return shares.astype(np.float32)


def _write(directory: str, name: str, text: str) -> None:
    tf.io.gfile.makedirs(directory)
    write_text_atomically(os.path.join(directory, name), text, durable=False)


class _Found(NamedTuple):
    """A column with values that cannot be parsed."""

    name: str
    feature: Readable
    unreadable: int
    present: int
    examples: Sequence[bytes]

    @property
    def share(self) -> float:
        return self.unreadable / self.present

    def problem(self) -> str:
        """Returns the counts and examples, for the message."""
        texts = (shorten(t.decode("utf-8", "replace"), _LONGEST_EXAMPLE) for t in self.examples)
        return f"{self.describe()}, such as {', '.join(map(repr, texts))}"

    def describe(self) -> str:
        """Returns the counts."""
        is_time = isinstance(self.feature, Timestamp)
        wanted = "a number"
        if isinstance(self.feature, Timestamp):
            offset = "" if _takes_offset(self.feature) else " without an offset from UTC"
            wanted = f"{self.feature.format}{offset}"
        return (
            f"column '{self.name}': {self.unreadable:,} of {self.present:,} "
            f"{'times' if is_time else 'texts'} in split train cannot be read as {wanted}"
        )

    def remedy(self) -> str:
        """Returns what makes the values readable."""
        key = ("features", self.name)
        if isinstance(self.feature, Timestamp):
            advice = f"set {dotted((*key, 'format'))} to the format of the times"
            if _takes_offset(self.feature):
                return advice
            return f"{advice}, or {dotted((*key, 'zone'))} to the clock that the model shall see"
        return (
            "set data.csv.thousands, data.csv.decimal or data.csv.units to how the numbers are "
            f"written and remove {dotted(('data', 'types', self.name))}, or set "
            f"{dotted((*key, 'kind'))} to categorical"
        )

    def setting(self) -> str:
        """Returns the `--set` argument that would accept the column as it is."""
        most = math.ceil(100 * self.unreadable / self.present) / 100
        return assignment(dotted(("features", self.name, "max_unreadable")), f"{most:g}")


def _takes_offset(feature: Timestamp) -> bool:
    return TimeColumn(feature.format, feature.zone).takes_offset


def _make_note(found: Sequence[_Found]) -> str:
    # The largest shares first; without examples, since another order of batches gives other ones.
    most_first = sorted(found, key=lambda one: -one.share)
    return f"{_join([one.describe() for one in most_first])}: these values count as missing"


def _join(problems: Sequence[str]) -> str:
    return "; ".join(list_first(problems, _MOST_DESCRIBED, "column"))


def _make_error(refused: Sequence[_Found]) -> DataError:
    return DataError(
        _join([column.problem() for column in refused]),
        f"{refused[0].remedy()}, add texts that mean a missing value to data.csv.missing, or "
        "correct the rows; with "
        f"`{' '.join(column.setting() for column in refused)}` unreadable values count as missing",
    )


@dataclass
class _Seen:
    """The accumulator: the sums of the counts, and examples of values that cannot be parsed."""

    counts: _Counts
    """int64 [columns, 2]"""
    examples: list[list[bytes]]
    """Distinct examples of each column."""


class _Tally(beam.CombineFn):
    def __init__(self, columns: int) -> None:
        self._columns = columns

    def create_accumulator(self) -> _Seen:
        return _Seen(np.zeros((self._columns, 2), np.int64), [[] for _ in range(self._columns)])

    def add_input(self, seen: _Seen, batch: _Batch) -> _Seen:
        counts, examples = batch
        seen.counts += counts
        for known, example in zip(seen.examples, examples, strict=True):
            _add_distinct(known, example.split(b"\n") if example else [])
        return seen

    def merge_accumulators(self, accumulators: Iterable[_Seen]) -> _Seen:
        merged, *others = accumulators
        for other in others:
            merged.counts += other.counts
            for known, more in zip(merged.examples, other.examples, strict=True):
                _add_distinct(known, more)
        return merged

    def extract_output(self, seen: _Seen) -> _Seen:
        return seen


def _add_distinct(known: list[bytes], more: Iterable[bytes]) -> None:
    new = (example for example in more if example not in known)
    known.extend(list(new)[: _MOST_EXAMPLES - len(known)])
