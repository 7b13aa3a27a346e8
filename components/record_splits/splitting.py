"""Assigns records to splits in a Beam pipeline, by the rules that rows of a table have.

TFX's own split hashes the whole record with its label, and knows no seed: equal rows with different
labels fall into different splits, and a table is split in another way than its records.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import tensorflow as tf

from components.record_splits.record_batches import RecordDecoder
from components.record_splits.settings import RecordSettings
from components.tables.arrays import is_present
from components.tables.parquet.stored_types import cast_to_text
from components.tables.splitting.splits import KeySplitter, RowSplitter, SplitIndices, Splitter
from pipeline.core.contracts import Split
from pipeline.core.files import write_text_atomically

_TALLY = "tally"
_MOST_RECORDS = 4096
"""Records that are decoded at once: enough for Arrow, and some megabytes."""
_MOST_UNKNOWN_LABELS = 100
"""More are not counted, so that the memory stays bounded where the label is no class at all."""


@dataclass(frozen=True)
class _Counts:
    """What the records of a batch, or of several, add to the Tally."""

    records: tuple[int, ...]
    """Records by split, and then those without a label."""
    unknown: dict[str, int]
    found: frozenset[str]
    trained: frozenset[str]


@dataclass(frozen=True)
class Tally:
    """What a pass over the records counted."""

    rows: dict[str, int]
    """Records by split."""
    without_label: int
    names: tuple[str, ...]
    """The features that any record has."""
    unknown_labels: dict[str, int] = field(default_factory=dict)
    """Records by label, for at most `_MOST_UNKNOWN_LABELS` labels outside the classes."""
    found: tuple[str, ...] = ()
    """The classes that any record has."""
    trained: tuple[str, ...] = ()
    """The classes that records of split train have."""

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Tally:
        """Returns the tally that `to_json` wrote."""
        content: dict[str, Any] = json.loads(text)
        lists = {name: tuple(content[name]) for name in ("names", "found", "trained")}
        return cls(**{**content, **lists})


def split_records(
    records: beam.PCollection, settings: RecordSettings, tally_file: str
) -> dict[str, beam.PCollection]:
    """Returns the serialized records of each split, and writes the Tally to `tally_file`.

    Records without a label are left out.

    Args:
      records: tf.Examples, serialized or not.
    """
    batches = (
        records
        | "Serialize" >> beam.Map(_serialize)
        | "Batch" >> beam.BatchElements(min_batch_size=100, max_batch_size=_MOST_RECORDS)
    )
    # The hash of a row counts the features that only other rows have, as missing values.
    names = batches | "Names" >> beam.ParDo(_FindNames()) | beam.CombineGlobally(_unite)
    parts = batches | "Split" >> beam.ParDo(
        _SplitBatch(settings), beam.pvalue.AsSingleton(names)
    ).with_outputs(_TALLY, *Split.ALL)
    _ = (
        parts[_TALLY]
        | "Add" >> beam.CombineGlobally(_add)
        | "Write" >> beam.Map(_write_tally, beam.pvalue.AsSingleton(names), tally_file)
    )
    return {name: parts[name] for name in Split.ALL}


def _serialize(record: Any) -> bytes:
    is_message = isinstance(record, tf.train.Example)
    # Deterministic: the files of the artifact then have equal bytes in each run.
    return bytes(record.SerializeToString(deterministic=True)) if is_message else bytes(record)


class _FindNames(beam.DoFn):
    def setup(self) -> None:
        self._decoder = RecordDecoder()

    def process(self, batch: Sequence[bytes]) -> Iterator[list[str]]:
        yield self._decoder.find_names(batch)


class _SplitBatch(beam.DoFn):
    """Yields each record to the output of its split, and the counts of the batch to `_TALLY`."""

    def __init__(self, settings: RecordSettings) -> None:
        super().__init__()
        self._settings = settings

    def setup(self) -> None:
        self._decoder = RecordDecoder()

    def process(self, batch: Sequence[bytes], names: Sequence[str]) -> Iterator[Any]:
        needed = {*names, self._settings.label, *filter(None, [self._settings.split.column])}
        rows = self._decoder.decode(batch, needed)
        labels = rows.column(rows.schema.get_field_index(self._settings.label))
        labelled = is_present(labels)
        splits = self._make_splitter(names).assign(rows)
        for record, split, is_used in zip(batch, splits, labelled, strict=True):
            if is_used:
                yield beam.pvalue.TaggedOutput(Split.ALL[split], record)
        yield beam.pvalue.TaggedOutput(_TALLY, self._count(labels, labelled, splits))

    def _count(
        self, labels: pa.Array, labelled: npt.NDArray[np.bool_], splits: SplitIndices
    ) -> _Counts:
        counts = np.bincount(splits[labelled], minlength=len(Split.ALL))
        classes = self._settings.classes
        by_label = _count_labels(labels, classes)
        in_train = labels.filter(pa.array(splits == Split.ALL.index(Split.TRAIN)))
        known, unknown = set(classes), [n for n in by_label if n not in classes]
        return _Counts(
            records=(*counts.tolist(), int((~labelled).sum())),
            unknown={name: by_label[name] for name in unknown[:_MOST_UNKNOWN_LABELS]},
            found=frozenset(known & by_label.keys()),
            trained=frozenset(known & _count_labels(in_train, classes).keys()),
        )

    def _make_splitter(self, names: Sequence[str]) -> Splitter:
        split, label = self._settings.split, self._settings.label
        if split.column:
            return KeySplitter(split, split.column)
        return RowSplitter(split, label, self._settings.plan_split(names).columns)


def _count_labels(labels: pa.Array, classes: Sequence[str]) -> dict[str, int]:
    """Returns the rows of each label; none if there are no classes."""
    if not classes:
        return {}
    text = cast_to_text(labels).drop_null()
    # As bytes: a text of a record need not be valid UTF-8.
    distinct = pc.value_counts(text.view(pa.binary()))
    pairs = zip(
        distinct.field("values").to_pylist(), distinct.field("counts").to_pylist(), strict=True
    )
    return {name.decode("utf-8", "replace"): n for name, n in pairs}


def _unite(found: Iterable[Sequence[str]]) -> list[str]:
    return sorted({name for names in found for name in names})


def _add(counts: Iterable[_Counts]) -> _Counts:
    total, unknown = [0] * (len(Split.ALL) + 1), Counter[str]()
    found, trained = set[str](), set[str]()
    for part in counts:
        total = [one + other for one, other in zip(total, part.records, strict=True)]
        unknown.update(part.unknown)
        found |= part.found
        trained |= part.trained
    most_common = dict(unknown.most_common(_MOST_UNKNOWN_LABELS))
    return _Counts(tuple(total), most_common, frozenset(found), frozenset(trained))


def _write_tally(counts: _Counts, names: Sequence[str], path: str) -> None:
    *rows, without_label = counts.records
    tally = Tally(
        rows=dict(zip(Split.ALL, rows, strict=True)),
        without_label=without_label,
        names=tuple(names),
        unknown_labels=counts.unknown,
        found=tuple(sorted(counts.found)),
        trained=tuple(sorted(counts.trained)),
    )
    write_text_atomically(path, tally.to_json(), durable=False)
