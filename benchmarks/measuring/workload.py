"""The rows that both pipelines get: a generated table, split by this project's ExampleGen."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.artifacts import find_artifact
from benchmarks.measuring.process import ROOT, run_command
from pipeline.config import Config, load_config
from pipeline.core.contracts import Split

CONFIGS = (ROOT / "configs/taxi.yaml", ROOT / "benchmarks/taxi.yaml")
PYTHON = sys.executable


@dataclass(frozen=True)
class Splits:
    """The table's rows in the splits of this project's ExampleGen, as CSV files."""

    directory: Path
    """The directory of train.csv, eval.csv and test.csv."""
    rows: dict[str, int]
    """The rows of each split."""
    label_counts: list[int]
    """The training rows of each class."""


@dataclass(frozen=True)
class Workload:
    """A generated table, and the directory of the benchmark's files."""

    directory: Path
    table: Path

    @property
    def splits(self) -> Path:
        return self.directory / "splits"

    @property
    def config(self) -> Config:
        return load_config(list(CONFIGS), [f"data.path={self.table}"])

    def arguments(self) -> list[str]:
        """Returns the configuration as command-line arguments."""
        configs = [word for path in CONFIGS for word in ("--config", str(path))]
        return [*configs, "--set", f"data.path={self.table}"]


def generate_table(directory: Path, rows: int, seed: int) -> Path:
    """Returns the CSV file of simulated taxi trips; an existing file is used again."""
    path = directory / f"trips-{rows}-{seed}.csv"
    if not path.exists():
        command = [PYTHON, "data/chicago_taxi/generate.py", "--rows", str(rows)]
        run_command([*command, "--seed", str(seed), "--output", str(path)], directory / "table.log")
    return path


def write_splits(workload: Workload, ours: Path) -> Splits:
    """Writes the splits of the run in `ours` as CSV files for TFX's ExampleGen."""
    examples = find_artifact(ours, "ExampleGen", "examples")
    workload.splits.mkdir(exist_ok=True)
    counts = {split: _write_csv(examples, split, workload.splits) for split in Split.ALL}
    return Splits(workload.splits, counts, _count_labels(workload.splits, workload.config))


def _write_csv(examples: Path, split: str, directory: Path) -> int:
    """Writes a split as CSV, a missing value as an empty cell; returns the number of rows."""
    batches = flat_batches(sorted((examples / f"{Split.PREFIX}{split}").glob("*")))
    first = next(batches)
    rows = 0
    with open(directory / f"{split}.csv", "wb") as file:
        # Not Arrow's header: Arrow quotes the names, and CsvExampleGen keeps the quotes.
        file.write((",".join(first.schema.names) + "\n").encode())
        options = pa.csv.WriteOptions(include_header=False)
        with pa.csv.CSVWriter(file, first.schema, write_options=options) as writer:
            for batch in itertools.chain([first], batches):
                writer.write_batch(batch)
                rows += batch.num_rows
    return rows


def flat_batches(files: list[Path]) -> Iterator[pa.RecordBatch]:
    """Yields batches of Parquet examples, with one value or null per row and column."""
    for file in files:
        for batch in pq.ParquetFile(file).iter_batches():
            columns = [_first_values(column) for column in batch.columns]
            yield pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _first_values(column: pa.Array) -> pa.Array:
    """Returns the values of lists that hold one value or are null."""
    values = pc.list_element(column.cast(pa.list_(column.type.value_type)), 0)
    return values.cast(pa.string()) if pa.types.is_large_binary(values.type) else values


def _count_labels(splits: Path, config: Config) -> list[int]:
    labels = pa.csv.read_csv(splits / "train.csv").column(config.label.column).cast(pa.string())
    found = {str(count["values"]): count["counts"].as_py() for count in pc.value_counts(labels)}
    return [found.get(name, 0) for name in config.label.classes]
