"""Reads files and writes splits: the whole work of the component, without TFX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from components.columnar_example_gen.ingest_config import IngestConfig
from components.columnar_example_gen.label_checks import LabelCheck
from components.columnar_example_gen.parts import list_sources, plan_parts
from components.columnar_example_gen.passes import LocalPasses, MakePasses, Passes
from components.columnar_example_gen.shards import prepare_directory, publish_shards
from components.columnar_example_gen.source_checks import check_columns
from components.columnar_example_gen.stray_text import find_number_columns, refuse_stray_text
from components.columnar_example_gen.times.boundaries import build_time_splitter
from components.tables.file_block import FileBlock
from components.tables.readers import iter_blocks, read_headers
from components.tables.sources.table_path import TablePath
from components.tables.splitting.split_record import SplitRecord, explain_new_split, plan_split
from components.tables.splitting.splits import KeySplitter, RowSplitter, Splitter
from components.tables.typed_table import (
    ContradictedTypeError,
    InferredType,
    TypedTable,
    csv_settings,
    guess_types,
)
from pipeline.core.errors import DataError


@dataclass(frozen=True)
class IngestReport:
    """The result of `ingest`."""

    rows: Mapping[str, int]
    """Number of rows by split."""
    rows_without_label: int
    """Number of rows left out."""
    unseen_classes: tuple[str, ...]
    """Classes that occur in eval or test but not in train, so that the model cannot learn them."""
    unreadable: Mapping[str, str]
    """Columns left out because their cells are not single values, with their types."""
    split: SplitRecord
    """How the rows were divided."""
    new_split: str
    """Why rows may be in another split than for the served model, or empty text."""


def ingest(
    paths: Sequence[TablePath],
    config: IngestConfig,
    directories: Mapping[str, Path],
    make_passes: MakePasses | None = None,
) -> IngestReport:
    """Reads the files in bounded memory and writes each split into its directory.

    Most tables are read once. If a later block needs a wider type than the first block, the types
    are inferred from all data and the files are read again. A split by time reads the time column
    in a pass of its own before.

    Args:
      make_passes: returns what goes over the rows of the given parts; by default this process does.

    Raises:
      ConfigError: a file cannot be read, or the table lacks label.column or data.split.column.
      DataError: the files are not a table, a named column cannot be read, or no model can learn
        from the table.
    """
    needed = (config.label.column, config.data.split.column, *config.column_types)
    header = read_headers(paths, config.data)
    header.refuse_unreadable(filter(None, needed))
    columns = header.find_common_columns()
    check_columns(columns, config.data, config.label)
    first = _read_first_block(paths, config, columns)
    configured = {
        name: config.column_types[name] for name in columns if name in config.column_types
    }
    open_columns = [name for name in columns if name not in configured]
    number_columns = find_number_columns(first, open_columns)
    # Not before the headers were read: what is wrong with them is told first.
    parts = plan_parts(paths, config.data)
    passes = (make_passes or partial(LocalPasses, config, directories))(parts)

    def write(inferred: Mapping[str, InferredType]) -> IngestReport:
        became_text = [name for name in sorted(number_columns) if inferred[name] == "string"]
        if became_text:
            refuse_stray_text(passes.count_stray_text(became_text), config.data)
        table = TypedTable(list_sources(parts), config.data, configured, inferred)
        return _write_splits(table, header.unreadable, config, directories, passes)

    try:
        return write(guess_types(first, config.data, open_columns))
    except ContradictedTypeError:
        inferred = passes.infer_types(open_columns)
    try:
        return write(inferred)
    except ContradictedTypeError as error:
        raise DataError(
            f"data.path: column '{error}' was changed while the files were read", "run again"
        ) from None


def _write_splits(
    table: TypedTable,
    unreadable: Mapping[str, str],
    config: IngestConfig,
    directories: Mapping[str, Path],
    passes: Passes,
) -> IngestReport:
    reference = SplitRecord.from_json(config.reference_split)
    columns, label, csv = list(table.types), config.label.column, csv_settings(config.data)
    plan = plan_split(config.data.split, columns, label, reference, csv)
    splitter = _make_splitter(table, config, plan, passes)
    labels = LabelCheck(config.label, config.data)
    for directory in directories.values():
        prepare_directory(directory)
    shards = passes.write(table, splitter, labels)
    missing = labels.check_all()
    for name, (names, _) in shards.items():
        publish_shards(directories[name], names)
    rows = {name: count for name, (_, count) in shards.items()}
    _refuse_empty_split(rows)
    unseen, new_split = labels.find_unseen_classes(), explain_new_split(reference, plan)
    return IngestReport(rows, missing, unseen, unreadable, plan, new_split)


def _make_splitter(
    table: TypedTable, config: IngestConfig, plan: SplitRecord, passes: Passes
) -> Splitter:
    split = config.data.split
    if split.column is None:
        return RowSplitter(split, config.label.column, plan.columns)
    if split.by == "key":
        return KeySplitter(split, split.column)
    return build_time_splitter(table, split.column, config.label.column, passes.survey_times)


def _read_first_block(
    paths: Sequence[TablePath], config: IngestConfig, columns: Sequence[str]
) -> FileBlock:
    for block in iter_blocks(paths, config.data, columns):
        if block.batch.num_rows:
            return block
    files = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
    raise DataError(f"{files}: the header is there, but no rows")


def _refuse_empty_split(rows: Mapping[str, int]) -> None:
    for name, count in rows.items():
        if not count:
            found = ", ".join(f"{other} {n}" for other, n in rows.items())
            raise DataError(
                f"data.split.{name}: no row falls into it, the split is empty ({found})",
                f"raise data.split.{name}, set another data.split.seed, or add rows",
            )
