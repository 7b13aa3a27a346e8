"""The section `data`: where the examples come from and how they are split."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    field_validator,
    model_validator,
)

from pipeline.config.addresses import check_path
from pipeline.config.base import Section
from pipeline.config.limits import DEFAULT_LIMITS, LimitsConfig
from pipeline.config.sections.features import TimeZone
from pipeline.core.files import NO_ADDRESS, is_remote

ColumnType = Literal["int", "float", "string"]
DecimalMark = Literal[".", ","]
ThousandsSeparator = Literal["", ",", ".", "'", " "]
"""How numbers may be written; `components/tables/numerals.py` reads them."""

MISSING_TEXT = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")


def _check_mark(mark: str) -> str:
    """Returns the mark if both readers of CSV, Arrow and Python's csv, take it."""
    if len(mark) != 1 or not mark.isascii() or mark in "\r\n\0":
        tab = '; write a tab as "\\t", in double quotes' if mark == "\\t" else ""
        raise ValueError(f"must be a single ASCII character, not {mark!r}{tab}")
    return mark


Mark = Annotated[str, AfterValidator(_check_mark)]


class CsvConfig(Section):
    """The dialect of the CSV files."""

    delimiter: Mark = ","
    """The character between two cells."""
    quote: Mark = '"'
    """The character around cells that hold delimiters or line breaks."""
    encoding: str = "utf-8"
    """The character encoding of the files."""
    decimal: DecimalMark = "."
    """The decimal mark of numbers; if it is also the delimiter, numbers must be quoted."""
    thousands: ThousandsSeparator = ""
    """The thousands separator, such as the comma in 1,234,567.8; a space also means a no-break \
space."""
    units: tuple[str, ...] = ()
    """Signs or words such as $, % or kg before or after a number, which are removed: `12 %` is \
read as 12."""
    header: bool = True
    """Whether the first row holds the column names; if not, they are column_1, column_2, ..."""
    missing: tuple[str, ...] = MISSING_TEXT
    """The cells that are read as a missing value."""

    @field_validator("units")
    @classmethod
    def _check_units(cls, units: tuple[str, ...]) -> tuple[str, ...]:
        for unit in units:
            if not unit.strip() or any(c.isdecimal() or c in "+-.," for c in unit):
                raise ValueError(
                    f"{unit!r} is not a unit: it is empty or could be part of a number"
                )
        return units

    @model_validator(mode="after")
    def _check_marks_differ(self) -> CsvConfig:
        if self.delimiter == self.quote:
            raise ValueError("delimiter and quote are the same character")
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands are the same character")
        return self


class SplitConfig(Section):
    """How the rows are divided into the splits train, eval and test."""

    later_keys = frozenset(("time_zone",))

    by: Literal["row", "key", "time"] = "row"
    """`row`: by a hash of the row without its label, so that equal rows are in the same split. If \
a model is served, its columns alone are hashed: rows stay in their splits when a column is added; \
`key`: by a hash of `column`, so that all rows of a customer are in the same split; `time`: by \
`column`, so that the latest rows are the test split."""
    column: str | None = None
    """The column to split by; required for `key` and `time`."""
    train: float = Field(default=0.8, gt=0, lt=1)
    """The share of rows to train on."""
    eval: float = Field(default=0.1, gt=0, lt=1)
    """The share of rows for early stopping."""
    test: float = Field(default=0.1, gt=0, lt=1)
    """The share of rows held out for the Evaluator."""
    time_format: Literal["iso", "month_first", "day_first"] | None = None
    """The date format of `column` for `by: time` (default: the format of the column's feature, or \
else the format that most of its values have)."""
    time_zone: TimeZone | None = None
    """The zone of times in `column` that have no offset from UTC, for `by: time` (default: `zone` \
of the column's feature, or else UTC). The rows are ordered by the instants. With `none`, a time \
with an offset stops the run."""
    seed: int = 0
    """The seed of the hash that `row` and `key` split by."""

    @model_validator(mode="after")
    def _check_shares_and_column(self) -> SplitConfig:
        total = self.train + self.eval + self.test
        if abs(total - 1) > 1e-6:
            raise ValueError(f"train, eval and test must add up to 1, they add up to {total:g}")
        if (self.by == "row") != (self.column is None):
            needs = "needs no" if self.by == "row" else "needs a"
            raise ValueError(f"a split by {self.by} {needs} column")
        return self


class DataConfig(Section):
    """The table and its splits."""

    later_keys = frozenset(("limits",))

    source: Literal["csv", "parquet", "tfrecord", "bigquery"] = "csv"
    """The format of the table."""
    path: tuple[str, ...] = ()
    """A file or glob pattern, or a list of them, relative to the working directory, or in an \
object store, such as `s3://bucket/folder/*.csv`. `{SPAN}` stands for the number of a span; the \
newest span is read. CSV files may be compressed: .gz, .xz, .zst, .bz2, or .zip with one file."""
    query: str | None = None
    """The BigQuery query whose rows are the examples; every run executes it again."""
    types: dict[str, ColumnType] = {}
    """The types of columns whose type shall not be inferred."""
    csv: CsvConfig = CsvConfig()
    """The dialect of the CSV files."""
    split: SplitConfig = SplitConfig()
    """How the rows are divided into splits."""
    limits: LimitsConfig = DEFAULT_LIMITS
    """Bounds that stop a file that would cost too much."""

    @field_validator("path", mode="before")
    @classmethod
    def _accept_one_path(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("path")
    @classmethod
    def _check_paths(cls, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(check_path, paths))

    @model_validator(mode="after")
    def _check_source(self) -> DataConfig:
        if self.source == "bigquery":
            if not self.query or self.path:
                raise ValueError("source bigquery needs query, and no path")
        elif not self.path or self.query:
            raise ValueError(f"source {self.source} needs path, and no query")
        if self.source == "tfrecord" and any(map(is_remote, self.path)):
            raise ValueError(NO_ADDRESS.format(self.path[0]))
        if self.source in ("tfrecord", "bigquery") and self.split.by == "time":
            raise ValueError(f"source {self.source} cannot be split by time")
        if self.source == "tfrecord" and len(self.path) > 1:
            raise ValueError("source tfrecord takes one path, which may be a glob pattern")
        return self
