"""A file that is no table is refused by the name of what it is, by `init` and `run` alike."""

import gzip
import zipfile
from pathlib import Path

import pytest
from compressed_tables import TABLE, WRITERS

from components.tables.file_kind import open_unpacked
from components.tables.readers import read_header
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding import propose_config


def refusals(path: Path) -> list[str]:
    """What `run` and `init` say about the file."""
    said = []
    with pytest.raises((ConfigError, DataError)) as caught:
        read_header(path, DataConfig(path=(str(path),)))
    said.append(str(caught.value))
    with pytest.raises((ConfigError, DataError)) as caught:
        propose_config([str(path)], "y", path.with_name("my.yaml"))
    return [*said, str(caught.value)]


def write_spreadsheet(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")


@pytest.mark.parametrize("suffix", WRITERS)
def test_init_and_run_say_which_name_a_compressed_file_needs(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "t.csv"
    WRITERS[suffix](path)
    with pytest.raises(ConfigError, match=r"t\.csv: compressed with ") as caught:
        open_unpacked(path)
    assert caught.value.hint == f"give it a name that ends in {suffix}"
    assert refusals(path) == [str(caught.value)] * 2


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx", "t.zip"])
def test_a_spreadsheet_is_no_zip_archive(tmp_path: Path, name: str) -> None:
    write_spreadsheet(tmp_path / name)
    assert all(f"{name}: a spreadsheet, not CSV" in said for said in refusals(tmp_path / name))


@pytest.mark.parametrize("start", [b"SQLite format 3\0", b"7z\xbc\xaf\x27\x1c", b"ARROW1"])
def test_other_kinds_are_named_whatever_their_name(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(start + bytes(100))
    assert all(": a" in said and "not CSV or Parquet" in said for said in refusals(path))


def test_an_empty_compressed_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "t.csv.xz").touch()
    assert all("the file is empty" in said for said in refusals(tmp_path / "t.csv.xz"))


def test_compressed_parquet_is_to_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(b"PAR1" + TABLE))
    with pytest.raises(ConfigError, match="compressed Parquet"):
        propose_config([str(tmp_path / "t.parquet.gz")], "y", tmp_path / "my.yaml")
