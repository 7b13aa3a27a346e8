"""Refuses a column of times of which too many cannot be read in the format of the feature.

Each counts as missing, which nobody would notice: not the gate, that knows no formats, and not the
model's metrics at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import tensorflow as tf
import tensorflow_transform as tft
from tensorflow_transform.beam.experimental import PTransformAnalyzer

from pipeline.config.base import dotted
from pipeline.config.sections.features import Timestamp
from pipeline.core.commands import assignment
from pipeline.core.errors import REFUSAL_FILE, DataError
from pipeline.core.missing_values import MISSING_STRING
from pipeline.core.text import shorten
from trainer_module.encoding.timestamps import Moment
from trainer_module.encoding.values import as_text

_MOST_TOLD = 3
_MOST_EXAMPLES = 3
_LOOKED_AT = 100
_LONGEST_EXAMPLE = 40

_Counts = npt.NDArray[np.int64]
_Batch = tuple[_Counts, npt.NDArray[np.object_]]


def check_timestamps(
    raw: Mapping[str, tf.Tensor],
    moments: Mapping[str, Moment],
    features: Mapping[str, Timestamp],
) -> None:
    """Adds to Transform's analysis: looks at all rows of the training split, in one analysis.

    Args:
      raw: the columns as they come, [batch, 1], of which those of `features` are looked at.
      moments: what was read of each.

    The analysis leaves a refusal if of a column more than `max_unreadable` could not be read.
    """
    if not features:
        return
    counts, examples = [], []
    for name in features:
        text = tf.reshape(as_text(raw[name]), [-1])
        is_present = (text != MISSING_STRING) & (tf.strings.strip(text) != "")
        is_unreadable = is_present & ~tf.reshape(moments[name].is_valid, [-1])
        unreadable = tf.boolean_mask(text, is_unreadable)
        counts.append(tf.stack([tf.size(unreadable, tf.int64), tf.math.count_nonzero(is_present)]))
        # A line each, so that they make one text whatever their number.
        some, _ = tf.unique(tf.strings.regex_replace(unreadable[:_LOOKED_AT], r"[\r\n]", " "))
        examples.append(tf.strings.reduce_join(some[:_MOST_EXAMPLES], separator="\n"))
    tft.experimental.ptransform_analyzer(
        [tf.stack(counts), tf.stack(examples)],
        _Check(features),
        output_dtypes=[tf.float32],
        output_shapes=[[len(features)]],
    )


class _Check(PTransformAnalyzer):
    """From batches of int64 [columns, 2], how many values cannot be read of how many, and of
    examples of them, string [columns], to the shares, float32 [columns]."""

    def __init__(self, features: Mapping[str, Timestamp]) -> None:
        super().__init__()
        self._features = dict(features)

    def expand(self, batches: beam.PCollection) -> beam.PCollection:
        tally = batches | beam.CombineGlobally(_Tally(len(self._features)))
        return tally | beam.Map(_judge, features=self._features, directory=self.base_temp_dir)


def _judge(
    seen: _Seen, features: Mapping[str, Timestamp], directory: str
) -> npt.NDArray[np.float32]:
    unreadable, present = seen.counts.T
    shares: npt.NDArray[np.float64] = unreadable / np.maximum(1, present)
    refused = [
        _Refused(name, feature.format, unreadable[column], present[column], seen.examples[column])
        for column, (name, feature) in enumerate(features.items())
        if shares[column] > feature.max_unreadable
    ]
    if refused:
        tf.io.gfile.makedirs(directory)
        with tf.io.gfile.GFile(os.path.join(directory, REFUSAL_FILE), "w") as file:
            file.write(_refusal(refused).to_json())
    return shares.astype(np.float32)


class _Refused(NamedTuple):
    """A column of which too many values cannot be read."""

    name: str
    format: str
    unreadable: int
    present: int
    examples: Sequence[bytes]

    def problem(self) -> str:
        texts = (shorten(t.decode("utf-8", "replace"), _LONGEST_EXAMPLE) for t in self.examples)
        return (
            f"column '{self.name}': {self.unreadable:,} of {self.present:,} times in split train "
            f"cannot be read as {self.format}, such as {', '.join(map(repr, texts))}"
        )

    def setting(self) -> str:
        most = math.ceil(100 * self.unreadable / self.present) / 100
        return assignment(dotted(("features", self.name, "max_unreadable")), f"{most:g}")


def _refusal(refused: Sequence[_Refused]) -> DataError:
    told = [column.problem() for column in refused[:_MOST_TOLD]]
    if len(refused) > _MOST_TOLD:
        told.append(f"and {len(refused) - _MOST_TOLD} columns more")
    return DataError(
        "; ".join(told),
        f"say in {dotted(('features', refused[0].name, 'format'))} how they are written and in "
        "data.csv.missing what stands for a missing one, or correct them; with "
        f"`{' '.join(column.setting() for column in refused)}` they count as missing",
    )


@dataclass
class _Seen:
    """What is known of the batches so far."""

    counts: _Counts
    examples: list[list[bytes]]
    """Of each column."""


class _Tally(beam.CombineFn):
    def __init__(self, columns: int) -> None:
        self._columns = columns

    def create_accumulator(self) -> _Seen:
        return _Seen(np.zeros((self._columns, 2), np.int64), [[] for _ in range(self._columns)])

    def add_input(self, seen: _Seen, batch: _Batch) -> _Seen:
        counts, examples = batch
        seen.counts += counts
        for known, example in zip(seen.examples, examples, strict=True):
            _add(known, example.split(b"\n") if example else [])
        return seen

    def merge_accumulators(self, accumulators: Iterable[_Seen]) -> _Seen:
        merged, *others = accumulators
        for other in others:
            merged.counts += other.counts
            for known, more in zip(merged.examples, other.examples, strict=True):
                _add(known, more)
        return merged

    def extract_output(self, seen: _Seen) -> _Seen:
        return seen


def _add(known: list[bytes], more: Iterable[bytes]) -> None:
    new = (example for example in more if example not in known)
    known.extend(list(new)[: _MOST_EXAMPLES - len(known)])
