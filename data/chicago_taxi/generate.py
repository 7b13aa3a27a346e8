"""Write any number of simulated Chicago taxi trips; the same seed gives the same trips.

Tests of speed need millions of rows, which a repository cannot hold. The generator simulates and
writes the trips in blocks, each with a seed of its own. Memory therefore does not grow with the
rows, and a longer file starts with the rows of a shorter one.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from simulation.trips import BLOCK_ROWS, SCHEMA, simulate_block

DEFAULT_ROWS = 15_000
DEFAULT_SEED = 77


class CsvWriter:
    """Writes CSV without quotes; Arrow's own writer would quote every text."""

    def __init__(self, path: Path) -> None:
        self._file: BinaryIO = path.open("wb")
        self._file.write((",".join(SCHEMA.names) + "\n").encode())

    def __enter__(self) -> CsvWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()

    def write_table(self, table: pa.Table) -> None:
        """Append the rows; a missing value is an empty cell."""
        cells = [pc.fill_null(pc.cast(column, pa.string()), "") for column in table.columns]
        lines = pc.binary_join_element_wise(*cells, ",").to_pylist()
        self._file.write(("\n".join(lines) + "\n").encode())


def simulate(rows: int, seed: int) -> Iterator[pa.Table]:
    """Yield the trips block by block, the last one cut to size."""
    for first in range(0, rows, BLOCK_ROWS):
        yield simulate_block(seed, first // BLOCK_ROWS).slice(0, min(BLOCK_ROWS, rows - first))


def report_progress(blocks: Iterator[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield the blocks, and print a line to stderr after every tenth of a large file."""
    began, done, reported = time.monotonic(), 0, 0
    for block in blocks:
        yield block
        done += block.num_rows
        tenths = 10 * done // rows
        if rows > 10 * BLOCK_ROWS and tenths > reported:
            reported = tenths
            seconds = time.monotonic() - began
            left = seconds / done * (rows - done)
            print(f"{done:,} of {rows:,} rows, {left:.0f} s left", file=sys.stderr)


@contextmanager
def replace_when_complete(output: Path) -> Iterator[Path]:
    """Yield a temporary path, and rename it to the target at the end: nobody reads half of it."""
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        yield partial
        partial.replace(output)
    finally:
        partial.unlink(missing_ok=True)


def open_writer(path: Path, suffix: str) -> CsvWriter | pq.ParquetWriter:
    """Return the writer for a suffix: `.parquet`, else CSV."""
    if suffix == ".parquet":
        return pq.ParquetWriter(path, SCHEMA)
    return CsvWriter(path)


def write_trips(rows: int, seed: int, output: Path) -> None:
    """Write a CSV or Parquet file of simulated trips."""
    with (
        replace_when_complete(output) as partial,
        open_writer(partial, output.suffix) as writer,
    ):
        for block in report_progress(simulate(rows, seed), rows):
            writer.write_table(block)


def parse_rows(text: str) -> int:
    """Parse --rows; underscores may group the digits."""
    return _parse_integer(text, 1)


def parse_seed(text: str) -> int:
    """Parse --seed."""
    return _parse_integer(text, 0)


def _parse_integer(text: str, minimum: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < minimum:
        raise argparse.ArgumentTypeError(f"must be at least {minimum}, got {number}")
    return number


def parse_output(text: str) -> Path:
    """Parse --output: a .csv or .parquet file in an existing folder."""
    path = Path(text)
    if path.suffix not in (".csv", ".parquet"):
        raise argparse.ArgumentTypeError(f"{text!r} must end in .csv or .parquet")
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r} is a folder; name a file")
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"folder {str(path.parent)!r} does not exist; create it")
    return path


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line, or exit with a message and code 2."""
    parser = argparse.ArgumentParser(description="Write simulated Chicago taxi trips.")
    parser.add_argument(
        "--rows",
        type=parse_rows,
        default=DEFAULT_ROWS,
        help="number of trips (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=parse_seed,
        default=DEFAULT_SEED,
        help="seed of the simulation (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        type=parse_output,
        required=True,
        help="a .csv or .parquet file, replaced atomically",
    )
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file, print its size, and return the exit code."""
    options = parse_arguments(arguments)
    write_trips(options.rows, options.seed, options.output)
    megabytes = options.output.stat().st_size / 1e6
    print(f"{options.output}: {options.rows:,} rows, {megabytes:.1f} MB", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
