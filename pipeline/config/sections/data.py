"""Where the examples come from and how they are split."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator, model_validator

from pipeline.config.base import Section

ColumnType = Literal["int", "float", "string"]

MISSING_TEXT = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A")


class CsvConfig(Section):
    """How the CSV files are written."""

    delimiter: str = Field(default=",", min_length=1, max_length=1)
    """The character between two cells."""
    quote: str = Field(default='"', min_length=1, max_length=1)
    """The character around cells that hold delimiters or line breaks."""
    encoding: str = "utf-8"
    """The character encoding of the files."""
    decimal: Literal[".", ","] = "."
    """The decimal mark of numbers; where it delimits as well, they are quoted."""
    thousands: Literal["", ",", ".", "'", " "] = ""
    """The mark between groups of three digits, as the comma in 1,234,567.8; a blank stands for \
no-break blanks as well."""
    units: tuple[str, ...] = ()
    """Signs such as $ or % that may stand before or behind a number and are left out: 12 % is \
12."""
    header: bool = True
    """Whether the first row names the columns; if not, they are column_1, column_2 and so on."""
    missing: tuple[str, ...] = MISSING_TEXT
    """The cells that stand for a missing value."""

    @field_validator("units")
    @classmethod
    def _are_signs(cls, units: tuple[str, ...]) -> tuple[str, ...]:
        for unit in units:
            if not unit.strip() or any(c.isdigit() or c in "+-.," for c in unit):
                raise ValueError(f"{unit!r} is no unit: it is empty, or could be part of a number")
        return units

    @model_validator(mode="after")
    def _marks_differ(self) -> CsvConfig:
        if self.decimal == self.thousands:
            raise ValueError("decimal and thousands are the same character")
        return self


class SplitConfig(Section):
    """How the rows are divided into the splits train, eval and test."""

    by: Literal["row", "key", "time"] = "row"
    """`row`: by a hash of the row without its label, so that equal rows are never in two splits; \
`key`: by a hash of `column`, so that one customer is never in two splits; `time`: by `column`, \
the latest rows are the test split."""
    column: str | None = None
    """The column that `key` and `time` split by."""
    train: float = Field(default=0.8, gt=0, lt=1)
    """The share of rows to train on."""
    eval: float = Field(default=0.1, gt=0, lt=1)
    """The share of rows for early stopping."""
    test: float = Field(default=0.1, gt=0, lt=1)
    """The share of rows held out for the Evaluator."""
    time_format: Literal["iso", "month_first", "day_first"] | None = None
    """How the dates that `time` splits by are written; left out, as the column's feature says, \
else as most of its values suggest."""
    seed: int = 0
    """Another seed gives another division by `row` and `key`."""

    @model_validator(mode="after")
    def _consistent(self) -> SplitConfig:
        total = self.train + self.eval + self.test
        if abs(total - 1) > 1e-6:
            raise ValueError(f"train, eval and test must add up to 1, they add up to {total:g}")
        if (self.by == "row") != (self.column is None):
            needs = "needs no" if self.by == "row" else "needs a"
            raise ValueError(f"a split by {self.by} {needs} column")
        return self


class DataConfig(Section):
    """The table and its splits."""

    source: Literal["csv", "parquet", "tfrecord", "bigquery"] = "csv"
    """The kind of storage the examples are read from."""
    path: tuple[str, ...] = ()
    """A file or glob pattern, or a list of them, relative to the working directory; `{SPAN}` \
stands for the number of the span, and the newest span is read."""
    query: str | None = None
    """The BigQuery query whose rows are the examples; each run asks anew."""
    types: dict[str, ColumnType] = {}
    """The types of columns that should not be left to inference."""
    csv: CsvConfig = CsvConfig()
    """How the CSV files are written."""
    split: SplitConfig = SplitConfig()
    """How the rows are divided."""

    @field_validator("path", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _source_has_its_address(self) -> DataConfig:
        if self.source == "bigquery":
            if not self.query or self.path:
                raise ValueError("source bigquery needs query, and no path")
        elif not self.path or self.query:
            raise ValueError(f"source {self.source} needs path, and no query")
        if self.source in ("tfrecord", "bigquery") and self.split.by == "time":
            raise ValueError(f"source {self.source} cannot be split by time")
        if self.source == "tfrecord" and len(self.path) > 1:
            raise ValueError("source tfrecord takes one path, which may be a glob pattern")
        return self
