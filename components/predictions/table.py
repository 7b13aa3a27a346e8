"""The table of predictions: its layout, and how it is written and read.

The table is a directory of Parquet files, `part-FIRSTROW.parquet`. The order of their names is the
order of the rows, so that `pandas.read_parquet(directory)` returns the whole table in order. The
columns:

- `row`, int64: the number of the row in the evaluated split, from 0. The files of the split are
  taken in the order of their names, the rows in the order of the file.
- `label`: the class as written, string; in a regression the label, float64.
- `probability`, float32: binary, the probability of the positive class. `probabilities`, a list of
  float32: multiclass, the probability of each class. `prediction`, float32: regression.
- `served_probability`, `served_probabilities` or `served_prediction`: the same of the served model,
  if the Evaluator compared with one.
- `slice:COLUMN`: the cell of each column that `evaluation` slices by; null if missing.

The metadata of each file have the key `predictions`: JSON with task, classes and split.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from components.predictions.parts import Parts, part_name
from components.predictions.terms import Array
from pipeline.config import LabelConfig, Task
from pipeline.core.contracts import Output
from pipeline.core.files import write_bytes_atomically

_ROW = "row"
_LABEL = "label"
_SERVED = "served_"
_SLICE = "slice:"
_METADATA = b"predictions"
_UNKNOWN = -1
"""The index of a label that is none of the classes; `label` is null then."""


@dataclass(frozen=True)
class Predictions:
    """Rows of the table, in order."""

    task: Task
    classes: tuple[str, ...]
    split: str
    rows: Array
    """The number of each row in the split, int64 [n]."""
    labels: Array
    """int64 [n], the index of the class; or the label of a regression, float64 [n]."""
    candidate: Array
    """The candidate's predictions, float32 [n], or [n, classes] if multiclass."""
    served: Array | None
    """The served model's predictions of the same rows; None without one."""
    slices: Mapping[str, pa.Array]
    """The cells of each column to slice by, [n]: int64, float32 or string, null if missing."""
    total: int
    """The rows of the split; more than n if only some rows were read."""


def write_part(
    directory: str,
    label: LabelConfig,
    split: str,
    rows: Array,
    labels: Array,
    candidate: Array,
    served: Array | None,
    slices: Mapping[str, pa.Array],
) -> None:
    """Writes consecutive rows to the file of the part that starts with the first of them.

    The file replaces an equal file that an earlier attempt wrote. See `Predictions` for the
    arguments; `labels` may also be floats.
    """
    columns = {_ROW: pa.array(rows, pa.int64()), _LABEL: _write_labels(labels, label)}
    output = Output.BY_TASK[label.task]
    columns[output] = _write_predictions(candidate)
    if served is not None:
        columns[_SERVED + output] = _write_predictions(served)
    columns |= {_SLICE + name: cells for name, cells in slices.items()}
    content = {"task": label.task, "classes": label.classes, "split": split}
    table = pa.table(columns).replace_schema_metadata({_METADATA: json.dumps(content)})
    sink = pa.BufferOutputStream()
    # Dictionaries do not make probabilities smaller, and they take half of the time.
    repeated = [_LABEL] if label.classes else []
    pq.write_table(table, sink, use_dictionary=[*repeated, *(_SLICE + name for name in slices)])
    path = os.path.join(directory, part_name(int(rows[0])))
    write_bytes_atomically(path, sink.getvalue(), durable=False)


def read_predictions(
    uri: str, rows: Array | None = None, *, at_most: int | None = None, seed: int = 0
) -> Predictions:
    """Returns the table in the directory `uri` of the Evaluator's artifact.

    Args:
      uri: the directory.
      rows: the row numbers to read, ascending, int64 [n]; None for all.
      at_most: read a random sample of this many rows if there are more; not with `rows`.
      seed: draws the sample.

    Raises:
      FileNotFoundError: the directory has no table.
      ValueError: a part of the table is missing.
    """
    parts = Parts.find(uri)
    if rows is None and at_most is not None and at_most < parts.total:
        random = np.random.default_rng(seed)
        rows = np.sort(random.choice(parts.total, at_most, replace=False, shuffle=False))
    table = parts.read(parts.schema.names, rows)
    content = json.loads(parts.schema.metadata[_METADATA])
    output = Output.BY_TASK[content["task"]]
    classes = tuple(content["classes"])
    served = _SERVED + output
    return Predictions(
        task=content["task"],
        classes=classes,
        split=content["split"],
        rows=table[_ROW].to_numpy(),
        labels=_read_labels(table[_LABEL], classes),
        candidate=_read_predictions(table[output], len(classes)),
        served=(
            _read_predictions(table[served], len(classes)) if served in table.column_names else None
        ),
        slices=_read_slices(table),
        total=parts.total,
    )


def iter_slices(uri: str, columns: Sequence[str]) -> Iterator[tuple[int, Mapping[str, pa.Array]]]:
    """Yields the cells of some columns to slice by, of all rows; see `Predictions.slices`.

    They come part by part, each with the number of its first row.

    Raises:
      FileNotFoundError: the directory has no table.
      ValueError: a part of the table is missing.
    """
    for start, part in Parts.find(uri).iter_tables([_SLICE + name for name in columns]):
        yield start, _read_slices(part)


def _write_labels(labels: Array, label: LabelConfig) -> pa.Array:
    if label.task == "regression":
        return pa.array(labels, pa.float64())
    indices = labels.astype(np.int32)
    codes = pa.array(indices, mask=indices == _UNKNOWN)
    return pa.DictionaryArray.from_arrays(codes, list(label.classes)).cast(pa.string())


def _read_labels(column: pa.ChunkedArray, classes: Sequence[str]) -> Array:
    if not classes:
        return np.asarray(column.to_numpy())
    indices = pc.index_in(column, value_set=pa.array(list(classes), pa.string()))
    return np.asarray(indices.fill_null(_UNKNOWN).to_numpy(), np.int64)


def _write_predictions(predictions: Array) -> pa.Array:
    flat = pa.array(predictions.reshape(-1), pa.float32())
    if predictions.ndim == 1:
        return flat
    return pa.FixedSizeListArray.from_arrays(flat, predictions.shape[1])


def _read_predictions(column: pa.ChunkedArray, width: int) -> Array:
    if not pa.types.is_fixed_size_list(column.type):
        return np.asarray(column.to_numpy())
    chunks = [chunk.flatten().to_numpy() for chunk in column.chunks]
    flat: Array = np.concatenate([np.empty(0, np.float32), *chunks])
    return flat.reshape(-1, width)


def _read_slices(table: pa.Table) -> Mapping[str, pa.Array]:
    return {
        name[len(_SLICE) :]: _combine(table[name])
        for name in table.column_names
        if name.startswith(_SLICE)
    }


def _combine(column: pa.ChunkedArray) -> pa.Array:
    """Returns the cells as one array; `combine_chunks` returns chunks on some versions of Arrow."""
    return pa.concat_arrays(column.chunks) if column.chunks else pa.array([], column.type)
