"""Makes all figures about the data. A figure that fails becomes a note."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import pyarrow as pa

from components.data_figures.association_measures import Array
from components.data_figures.associations import choose_rows, measure_with_label
from components.data_figures.columns import Measured, describe_column, find_type
from components.data_figures.distances import measure_drift, measure_skew
from components.data_figures.figures import SERVED, Associations, DataFigures
from components.data_figures.samples import DataInputs
from components.run_figures.notes import Notes
from pipeline.core.contracts import Split

ReadTrain = Callable[[Sequence[str], Array], pa.Table]
"""Takes columns and ascending row numbers of split train; returns the cells."""
_WithLabel = tuple[Mapping[str, float | None], Associations | None]
_NO_ASSOCIATIONS: _WithLabel = ({}, None)
_NUMBER_KINDS = ("numeric", "bucketized", "timestamp", "regression")


def make_data_figures(inputs: DataInputs, read_train: ReadTrain) -> DataFigures:
    """Returns the figures, and a note for each figure that could not be made."""
    notes = Notes()
    with_label, associations = notes.attempt(
        "the associations of the columns",
        lambda: _measure_associations(inputs, read_train, notes),
        _NO_ASSOCIATIONS,
    )
    measured = Measured(
        drift=notes.attempt("the drift of the columns", lambda: measure_drift(inputs), {}),
        skew=notes.attempt("the skew of the columns", lambda: measure_skew(inputs), {}),
        with_label=with_label,
    )
    described = (
        notes.attempt(
            f"the figures of '{name}'",
            functools.partial(describe_column, inputs, measured, name),
            None,
        )
        for name in inputs.column_names
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


def _measure_associations(inputs: DataInputs, read_train: ReadTrain, notes: Notes) -> _WithLabel:
    types = _choose_types(inputs)
    rows = choose_rows(inputs.rows.get(Split.TRAIN, 0), len(types))
    if inputs.label.column not in types or len(rows) < 2:
        return {}, None
    table = read_train(list(types), rows)
    return measure_with_label(table, inputs.label.column, types, notes)


def _choose_types(inputs: DataInputs) -> dict[str, Literal["number", "category"]]:
    """Returns how each column of split train that the model knows is taken."""
    types: dict[str, Literal["number", "category"]] = {}
    for name in inputs.samples.get(Split.TRAIN, {}):
        role = inputs.role(name)
        if role == "other":
            continue
        kind = inputs.label.task if role == "label" else inputs.rules.kinds[name]
        samples = {s: c for s, c in inputs.column(name).items() if s != SERVED}
        is_number = kind in _NUMBER_KINDS and find_type(samples) != "text"
        types[name] = "number" if is_number else "category"
    return types
