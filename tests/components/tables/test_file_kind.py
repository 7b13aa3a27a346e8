"""A file that is no table is refused by the name of what it is, by `init` and `run` alike."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from components.tables import file_kind
from components.tables.file_kind import open_unpacked, reading_unpacked
from components.tables.readers import iter_blocks, read_header
from pipeline.config import DataConfig
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding import propose_config

TABLE = b"a,y\n1,no\n2,yes\n"


def write_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("t.csv", TABLE)


def write_zstd(path: Path) -> None:
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(TABLE)


KINDS: dict[str, Callable[[Path], object]] = {
    "an xz archive": lambda path: path.write_bytes(lzma.compress(TABLE)),
    "a bzip2 archive": lambda path: path.write_bytes(bz2.compress(TABLE)),
    "a zstd archive": write_zstd,
    "a spreadsheet or a zip archive": write_zip,
    "compressed with gzip": lambda path: path.write_bytes(gzip.compress(TABLE)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.xz", "t.csv.zst"])
def test_init_and_run_name_what_the_file_is(tmp_path: Path, kind: str, name: str) -> None:
    path = tmp_path / name
    KINDS[kind](path)
    with pytest.raises(ConfigError, match=f"{name}: {kind}"):
        read_header(path, DataConfig(path=(str(path),)))
    with pytest.raises(ConfigError, match=f"{name}: {kind}"):
        propose_config([str(path)], "y", tmp_path / "my.yaml")


@pytest.mark.parametrize(
    "content",
    # The time in the file would give the test another name in each process.
    [b"a,y\n1,no\n", gzip.compress(TABLE, mtime=0)[:-9], b"\x1f\x8b\x08\0"],
)
def test_a_damaged_gzip_file_is_refused_by_init_too(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"t\.csv\.gz: not a whole gzip file"):
        propose_config([str(path)], "y", tmp_path / "my.yaml")
    with pytest.raises(DataError, match="not a whole gzip"), reading_unpacked(path) as file:
        file.read()


def test_a_table_is_unpacked_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(TABLE)
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(TABLE))
    for name in ("t.csv", "t.csv.gz"):
        with open_unpacked(tmp_path / name) as file:
            assert file.read() == TABLE


@pytest.mark.parametrize("limits", [{}, {"unpacked_ratio": 2000}])
def test_a_small_file_that_becomes_far_larger_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]
) -> None:
    monkeypatch.setattr(file_kind, "_HARMLESS_BYTES", 1 << 20)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"0,0\n" * 5_000_000))
    data = DataConfig(path=(str(path),), limits=LimitsConfig(**limits))
    blocks = iter_blocks([path], data)
    if limits:
        assert sum(block.batch.num_rows for block in blocks) == 5_000_000
    else:
        with pytest.raises(DataError, match=r"t\.csv\.gz: becomes more than 500 times its size"):
            list(blocks)
