"""Compressed tables are read like plain ones; damaged and dishonest files are refused."""

import zipfile
from pathlib import Path

import pytest
from compressed_tables import TABLE, WRITERS, write_zip

from components.tables import compression
from components.tables.file_kind import open_unpacked
from components.tables.readers import iter_blocks
from pipeline.config import DataConfig
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding import propose_config

ROWS = b"a,y\n" + b"".join(b"%d,%d\n" % (i * i, i % 3) for i in range(200_000))


def count_rows(path: Path, **limits: int) -> int:
    data = DataConfig(path=(str(path),), limits=LimitsConfig(**limits))
    return sum(block.batch.num_rows for block in iter_blocks([path], data))


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_compressed_table_is_read_like_a_plain_one(tmp_path: Path, suffix: str) -> None:
    """Also one that is longer than a block, and with a suffix in capitals."""
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path)
    with open_unpacked(path) as file:
        assert file.read() == TABLE
    long = tmp_path / f"long.csv{suffix.upper()}"
    WRITERS[suffix](long, content=ROWS)
    assert long.stat().st_size < len(ROWS) / 2
    assert count_rows(long) == 200_000


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("kept", [0.7, 12])
def test_a_truncated_file_is_refused_by_init_and_run(
    tmp_path: Path, suffix: str, kept: float
) -> None:
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=ROWS)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content)) if kept < 1 else int(kept)])
    message = rf"t\.csv\{suffix}: not a whole "
    with pytest.raises(DataError, match=message):
        count_rows(path)
    with pytest.raises(DataError, match=message):
        propose_config([str(path)], "y", tmp_path / "my.yaml")


def test_a_file_of_another_kind_than_its_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(TABLE)
    with pytest.raises(DataError, match="not a whole gzip file: its first bytes are of another"):
        open_unpacked(path)
    WRITERS[".xz"](path)
    with pytest.raises(DataError, match="not a whole gzip file"):
        open_unpacked(path)


def test_a_zip_archive_holds_one_file(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    write_zip(path, "u.csv")
    with pytest.raises(ConfigError, match=r"t\.zip: a zip archive of 2 files"):
        open_unpacked(path)
    write_zip(path, "__MACOSX/._t.csv")
    with open_unpacked(path) as file:
        assert file.read() == TABLE


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.zip"
    write_zip(path)
    content = bytearray(path.read_bytes())
    # The flags of the file: in its own header, and in the directory at the end.
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="an encrypted zip archive"):
        open_unpacked(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.infolist()[0].flag_bits & 1


@pytest.fixture
def from_1_mib_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks what small tables become, which would otherwise have to be larger than 1 GiB."""
    monkeypatch.setattr(compression, "_HARMLESS_BYTES", 1 << 20)


BOMB = b"a,y\n" + b"0,0\n" * 1_000_000


@pytest.mark.usefixtures("from_1_mib_on")
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_small_file_that_becomes_far_larger_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=BOMB)
    with pytest.raises(DataError, match="becomes more than 200 times its size"):
        count_rows(path, unpacked_ratio=200)
    assert count_rows(path, unpacked_ratio=1_000_000) == 1_000_000


@pytest.mark.usefixtures("from_1_mib_on")
@pytest.mark.parametrize("suffix", [".xz", ".bz2", ".zst"])
def test_the_default_limit_stops_the_formats_that_reach_far(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=BOMB)
    with pytest.raises(DataError, match="becomes more than 5000 times its size"):
        count_rows(path)


@pytest.mark.usefixtures("from_1_mib_on")
@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_the_default_limit_stops_an_archive_of_another_method(tmp_path: Path, method: int) -> None:
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("t.csv", BOMB)
    with pytest.raises(DataError, match="becomes more than 5000 times its size"):
        count_rows(path)


def test_deflate_bounds_itself_below_the_default_limit(tmp_path: Path) -> None:
    """So no bound of ours could tell a bomb from a table: it is read to its end."""
    for suffix in (".gz", ".zip"):
        path = tmp_path / f"t.csv{suffix}"
        WRITERS[suffix](path, content=bytes(50_000_000))
        assert 1_000 < 50_000_000 / path.stat().st_size < 1_032


@pytest.mark.usefixtures("from_1_mib_on")
@pytest.mark.parametrize("suffix", WRITERS)
def test_an_endless_row_is_refused_before_it_is_unpacked_whole(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=b"a,y\n" + b"0" * 50_000_000)
    with pytest.raises(DataError, match="too many for one row"):
        count_rows(path, unpacked_ratio=1_000_000)


@pytest.mark.usefixtures("from_1_mib_on")
@pytest.mark.parametrize("suffix", WRITERS)
def test_a_sparse_table_is_read(tmp_path: Path, suffix: str) -> None:
    """One-hot columns: the most that a table becomes which nobody made to harm."""
    columns, rows = 2_000, 3_000
    lines = [b",".join(b"c%d" % i for i in range(columns))]
    lines += [
        b",".join(b"1" if i == row % 97 else b"0" for i in range(columns)) for row in range(rows)
    ]
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=b"\n".join(lines))
    assert count_rows(path) == rows
