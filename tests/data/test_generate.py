"""The generator of taxi trips: its files, its command line, and equal bytes for equal seeds."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

FOLDER = Path(__file__).parents[2] / "data" / "chicago_taxi"


@pytest.fixture(scope="module")
def generate() -> Iterator[ModuleType]:
    """The script as a module; it finds its simulation beside it, as when it is run."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield importlib.import_module("generate")
    finally:
        sys.path.remove(str(FOLDER))


def write(generate: ModuleType, path: Path, rows: int, seed: int = 1) -> bytes:
    assert generate.main(["--rows", str(rows), "--seed", str(seed), "--output", str(path)]) == 0
    return path.read_bytes()


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_same_seed_gives_the_same_bytes(
    generate: ModuleType, tmp_path: Path, suffix: str
) -> None:
    first = write(generate, tmp_path / f"a{suffix}", 2_000)
    assert write(generate, tmp_path / f"b{suffix}", 2_000) == first


def test_another_seed_gives_other_trips(generate: ModuleType, tmp_path: Path) -> None:
    first = write(generate, tmp_path / "a.csv", 100, seed=1)
    assert write(generate, tmp_path / "b.csv", 100, seed=2) != first


def test_a_longer_file_starts_with_the_rows_of_a_shorter_one(
    generate: ModuleType, tmp_path: Path
) -> None:
    longer = write(generate, tmp_path / "longer.csv", 100_700)
    assert longer.startswith(write(generate, tmp_path / "shorter.csv", 500))
    assert longer.startswith(write(generate, tmp_path / "block.csv", 100_000))
    assert longer.startswith(write(generate, tmp_path / "over.csv", 100_300))
    assert longer.count(b"\n") == 100_701


def test_blocks_differ(generate: ModuleType) -> None:
    first, second = generate.simulate(100_100, 1)
    assert second.num_rows == 100
    assert not second.equals(first.slice(0, 100))


def test_parquet_and_csv_hold_the_same_trips(generate: ModuleType, tmp_path: Path) -> None:
    write(generate, tmp_path / "trips.csv", 1_000)
    write(generate, tmp_path / "trips.parquet", 1_000)
    parquet = pq.read_table(tmp_path / "trips.parquet")
    types = pa.csv.ConvertOptions(column_types=parquet.schema, strings_can_be_null=True)
    csv = pa.csv.read_csv(tmp_path / "trips.csv", convert_options=types)
    assert csv.equals(parquet)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "0", "--output", "x.csv"], "--rows: must be at least 1, got 0"),
        (["--rows", "-5", "--output", "x.csv"], "--rows: must be at least 1, got -5"),
        (["--rows", "1e6", "--output", "x.csv"], "--rows: '1e6' is not a whole number"),
        (["--seed", "-1", "--output", "x.csv"], "--seed: must be at least 0, got -1"),
        (["--output", "x.json"], "'x.json' must end in .csv or .parquet"),
        (["--output", "no/such/x.csv"], "folder 'no/such' does not exist; create it"),
        ([], "the following arguments are required: --output"),
    ],
)
def test_wrong_arguments_are_explained(
    generate: ModuleType,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    with pytest.raises(SystemExit) as stop:
        generate.main(arguments)
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_a_directory_is_refused_as_output(generate: ModuleType, tmp_path: Path) -> None:
    folder = tmp_path / "trips.csv"
    folder.mkdir()
    with pytest.raises(SystemExit, match="2"):
        generate.main(["--output", str(folder)])


def test_a_failure_leaves_the_old_file_alone(generate: ModuleType, tmp_path: Path) -> None:
    output = tmp_path / "trips.csv"
    output.write_text("old")

    def fail_halfway() -> None:
        with generate.replace_when_complete(output) as partial:
            partial.write_text("half")
            raise RuntimeError("disk full")

    with pytest.raises(RuntimeError, match="disk full"):
        fail_halfway()
    assert [path.name for path in tmp_path.iterdir()] == ["trips.csv"]
    assert output.read_text() == "old"


@pytest.mark.parametrize(("blocks", "lines"), [(2, 0), (25, 10)])
def test_only_large_files_report_progress(
    generate: ModuleType, capsys: pytest.CaptureFixture[str], blocks: int, lines: int
) -> None:
    block = pa.table({"fare": pa.nulls(generate.BLOCK_ROWS)})
    passed = list(generate.report_progress(iter([block] * blocks), blocks * generate.BLOCK_ROWS))
    assert len(passed) == blocks
    assert len(capsys.readouterr().err.splitlines()) == lines


def test_the_generator_runs_as_a_script(tmp_path: Path) -> None:
    output = tmp_path / "trips.csv"
    command = [sys.executable, str(FOLDER / "generate.py"), "--rows", "12", "--output", str(output)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "12 rows" in done.stderr
    assert done.stdout == ""
    assert len(output.read_text().splitlines()) == 13


def test_committed_sample_is_what_the_generator_makes(generate: ModuleType, tmp_path: Path) -> None:
    generate.main(["--rows", "15000", "--output", str(tmp_path / "sample.csv")])
    assert (tmp_path / "sample.csv").read_bytes() == (FOLDER / "sample.csv").read_bytes()
