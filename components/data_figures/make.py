"""Makes all figures about the data. A figure that fails becomes a note."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import pyarrow as pa

from components.data_figures.association_measures import Array
from components.data_figures.associations import choose_rows, measure_with_label
from components.data_figures.columns import (
    DistinctNumbers,
    Measured,
    count_distinct_numbers,
    describe_column,
    find_type,
    holds_numbers,
)
from components.data_figures.counting import group_columns, read_numbers
from components.data_figures.distances import measure_drift, measure_skew
from components.data_figures.figures import SERVED, Associations, DataFigures
from components.data_figures.numbers import CountedRows
from components.data_figures.samples import DataInputs
from components.run_figures.notes import Notes
from pipeline.core.contracts import Split

ReadRows = Callable[[str, Sequence[str], Array | None], pa.Table]
"""Takes a split, columns, and ascending row numbers, or None for all rows; returns the cells."""
_Types = dict[str, Literal["number", "category"]]
_WithLabel = tuple[Mapping[str, float | None], Associations | None]
_NO_ASSOCIATIONS: _WithLabel = ({}, None)
_NUMBER_KINDS = ("numeric", "bucketized", "timestamp", "regression")


def make_data_figures(inputs: DataInputs, read_rows: ReadRows) -> DataFigures:
    """Returns the figures, and a note for each figure that could not be made."""
    notes = Notes()
    types = _choose_types(inputs)
    rows = notes.attempt(
        "distinct numbers and associations", lambda: _read_rows(inputs, types, read_rows), None
    )
    with_label, associations = notes.attempt(
        "the associations of the columns",
        lambda: _measure_associations(inputs, rows, types, notes),
        _NO_ASSOCIATIONS,
    )
    measured = Measured(
        distinct=notes.attempt("the distinct numbers", lambda: _count_numbers(rows, types), {}),
        drift=notes.attempt("the drift of the columns", lambda: measure_drift(inputs), {}),
        skew=notes.attempt("the skew of the columns", lambda: measure_skew(inputs), {}),
        with_label=with_label,
    )
    described = (
        notes.attempt(
            f"the figures of '{name}'",
            functools.partial(describe_column, inputs, measured, name, counted),
            None,
        )
        for name, counted in _count_columns(inputs, read_rows, notes)
    )
    columns = [column for column in described if column is not None]
    columns.sort(key=lambda c: (-c.attention, -(c.with_label or 0.0), c.name))
    return DataFigures(
        rows={split: inputs.rows[split] for split in inputs.statistics},
        label=inputs.label.column,
        compared_with=inputs.reference.version if inputs.reference else None,
        columns=tuple(columns),
        associations=associations,
        notes=notes.sentences,
    )


def _count_columns(
    inputs: DataInputs, read_rows: ReadRows, notes: Notes
) -> Iterator[tuple[str, Mapping[str, CountedRows]]]:
    """Yields each column; with the values by split if it is a number and its rows can be read."""
    numbers = [n for n in inputs.column_names if holds_numbers(inputs.column(n))]
    yield from ((name, {}) for name in inputs.column_names if name not in set(numbers))
    for group in group_columns(numbers, sum(inputs.rows[split] for split in inputs.statistics)):
        read = functools.partial(read_numbers, inputs, group, read_rows)
        found = notes.attempt("the counts of the rows", read, {})
        yield from ((name, found.get(name, {})) for name in group)


def _read_rows(inputs: DataInputs, types: _Types, read_rows: ReadRows) -> pa.Table:
    rows = choose_rows(inputs.rows.get(Split.TRAIN, 0), len(types))
    return read_rows(Split.TRAIN, list(types), rows) if types and len(rows) else pa.table({})


def _measure_associations(
    inputs: DataInputs, rows: pa.Table | None, types: _Types, notes: Notes
) -> _WithLabel:
    if rows is None or rows.num_rows < 2 or inputs.label.column not in types:
        return _NO_ASSOCIATIONS
    return measure_with_label(rows, inputs.label.column, types, notes)


def _count_numbers(rows: pa.Table | None, types: _Types) -> dict[str, DistinctNumbers]:
    if rows is None:
        return {}
    names = [name for name in rows.column_names if types[name] == "number"]
    return {name: count_distinct_numbers(rows.column(name)) for name in names}


def _choose_types(inputs: DataInputs) -> _Types:
    """Returns how each column of split train that the model knows is taken."""
    types: _Types = {}
    for name in inputs.samples.get(Split.TRAIN, {}):
        role = inputs.role(name)
        if role == "other":
            continue
        kind = inputs.label.task if role == "label" else inputs.rules.kinds[name]
        samples = {s: c for s, c in inputs.column(name).items() if s != SERVED}
        is_number = kind in _NUMBER_KINDS and find_type(samples) != "text"
        types[name] = "number" if is_number else "category"
    return types
