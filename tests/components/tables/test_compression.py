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


@pytest.mark.parametrize("suffix", WRITERS)
def test_a_small_file_that_becomes_far_larger_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(compression, "_HARMLESS_BYTES", 1 << 20)
    path = tmp_path / f"t.csv{suffix}"
    WRITERS[suffix](path, content=b"a,y\n" + b"0,0\n" * 1_000_000)
    # gzip and zip make such a table 500 to 1000 times smaller, the others more.
    with pytest.raises(DataError, match="becomes more than 200 times its size"):
        count_rows(path, unpacked_ratio=200)
    assert count_rows(path, unpacked_ratio=1_000_000) == 1_000_000
