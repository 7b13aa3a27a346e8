"""Tables in a store are read as the same bytes on a disk are, whatever a network does."""

import bz2
import gzip
import io
import lzma
import re
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import Bucket, Fault, Proxy

from components.tables.fingerprint import resolve_paths
from components.tables.readers import common_columns, describe_place, iter_blocks
from components.tables.sources.table_path import open_arrow, open_bytes, size_of, suffix_of
from pipeline.config import DataConfig
from pipeline.core.errors import ConfigError, DataError, PipelineError

ROWS = 60_000
TABLE = pa.table(
    {
        "amount": pa.array(range(ROWS), pa.int64()),
        "rate": pa.array([i / 7 if i % 9 else None for i in range(ROWS)]),
        "color": pa.array([f"colour {i % 613}" for i in range(ROWS)]),
    }
)
CSV = b"amount,color\n" + b"".join(b"%d,colour %d\n" % (i, i % 613) for i in range(ROWS))


def make_parquet() -> bytes:
    file = io.BytesIO()
    pq.write_table(TABLE, file, row_group_size=9_000)
    return file.getvalue()


def zipped(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", content)
    return file.getvalue()


def zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(content)
    return sink.getvalue().to_pybytes()


CONTENTS = {
    "t.csv": CSV,
    "t.csv.gz": gzip.compress(CSV),
    "t.csv.xz": lzma.compress(CSV, preset=0),
    "t.csv.zst": zstd(CSV),
    "t.csv.bz2": bz2.compress(CSV),
    "t.csv.zip": zipped(CSV),
    "t.parquet": make_parquet(),
}


def read(data: DataConfig) -> pa.Table:
    paths, _ = resolve_paths(data)
    columns = sorted(common_columns(paths, data))
    return pa.Table.from_batches([block.batch for block in iter_blocks(paths, data, columns)])


def configure(*paths: str) -> DataConfig:
    return DataConfig(source="parquet" if ".parquet" in paths[0] else "csv", path=paths)


@pytest.mark.parametrize("name", CONTENTS)
def test_a_table_in_a_store_equals_the_table_on_a_disk(
    bucket: Bucket, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(CONTENTS[name])
    stored = bucket.put(f"folder/{name}", CONTENTS[name])
    local = read(configure(str(tmp_path / name)))
    assert local.num_rows == ROWS
    assert read(configure(stored)).equals(local)
    assert read(configure(stored, str(tmp_path / name))).num_rows == 2 * ROWS


@pytest.mark.parametrize("fault", ["503", "truncated", "dropped"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_disturbed_requests_lose_no_row(
    proxy: Proxy, bucket: Bucket, name: str, fault: Fault
) -> None:
    stored = bucket.put(name, CONTENTS[name])
    proxy.methods = ("GET",)
    proxy.faults = ["", fault, "", fault, fault, "", fault]
    assert read(configure(stored)).num_rows == ROWS


@pytest.mark.parametrize("name", CONTENTS)
def test_a_table_that_changes_while_it_is_read_is_refused(bucket: Bucket, name: str) -> None:
    stored = bucket.put(name, CONTENTS[name])
    data = configure(stored)
    paths, _ = resolve_paths(data)
    bucket.put(name, CONTENTS[name] + b"\n")
    with pytest.raises(DataError, match=f"{name}: the file was changed while it was read"):
        list(iter_blocks(paths, data))


def test_a_bad_row_is_named_with_its_address(bucket: Bucket) -> None:
    data = configure(bucket.put("bad.csv", b"a,b\n1,2\n3\n"))
    with pytest.raises(DataError, match=rf"{bucket.url('bad.csv')}:3: expected 2 cells, found 1"):
        read(data)
    (path,), _ = resolve_paths(configure(bucket.put("ok.csv", b"a,b\n1,2\n")))
    assert describe_place(path, 0, data) == f"{bucket.url('ok.csv')}:2"


def test_damaged_objects_are_named_as_files_are(bucket: Bucket) -> None:
    for name, content, message in (
        ("t.parquet", CONTENTS["t.parquet"][:-9], "not a Parquet file, or a damaged one"),
        ("t.csv.gz", CONTENTS["t.csv.gz"][:-9], "not a whole gzip file"),
        ("t.csv", b"", "the file is empty"),
    ):
        stored = bucket.put(name, content)
        with pytest.raises(DataError, match=f"{re.escape(stored)}: {message}"):
            read(configure(stored))


def test_a_column_of_parquet_costs_its_own_bytes(proxy: Proxy, bucket: Bucket) -> None:
    file = io.BytesIO()
    wide = {f"c{i}": pa.array(range(i, i + 200_000), pa.int64()) for i in range(8)}
    pq.write_table(pa.table(wide), file, compression="none", use_dictionary=False)
    stored = bucket.put("wide.parquet", file.getvalue())
    data = configure(stored)
    paths, _ = resolve_paths(data)
    assert sum(block.batch.num_rows for block in iter_blocks(paths, data, ["c5"])) == 200_000
    ranges = [asked[6:].split("-") for _, _, asked in proxy.requests if asked]
    assert sum(int(last) - int(first) + 1 for first, last in ranges) < len(file.getvalue()) / 3


def test_the_newest_span_of_a_store_is_read(bucket: Bucket) -> None:
    for day in (8, 9, 10):
        bucket.put(f"days/{day}/t.csv", b"a,b\n%d,2\n" % day)
    paths, span = resolve_paths(configure(bucket.url("days/{SPAN}/*.csv")))
    assert (span, [str(path) for path in paths]) == (10, [bucket.url("days/10/t.csv")])
    paths, span = resolve_paths(configure(bucket.url("days/{SPAN}/*.csv")), span=9)
    assert [str(path) for path in paths] == [bucket.url("days/9/t.csv")]


@pytest.mark.parametrize("pattern", ["none/*.csv", "none.csv", "none/{SPAN}/t.csv"])
def test_a_pattern_without_a_match_is_named(bucket: Bucket, pattern: str) -> None:
    with pytest.raises(ConfigError, match=r"data\.path: no object matches") as caught:
        resolve_paths(configure(bucket.url(pattern)))
    assert bucket.url(pattern) in caught.value.message


def test_a_local_and_a_stored_file_open_alike(bucket: Bucket, tmp_path: Path) -> None:
    (tmp_path / "t.CSV.GZ").write_bytes(b"abc")
    (stored,), _ = resolve_paths(configure(bucket.put("t.CSV.GZ", b"abc")))
    for path in (stored, tmp_path / "t.CSV.GZ"):
        assert (size_of(path), suffix_of(path)) == (3, ".gz")
        with open_bytes(path) as file:
            assert file.read() == b"abc"
        assert open_arrow(path).read() == b"abc"


def test_errors_of_a_store_pass_through_arrow(proxy: Proxy, bucket: Bucket) -> None:
    stored = bucket.put("t.csv", CSV)
    data = configure(stored)
    paths, _ = resolve_paths(data)
    proxy.faults = [""]
    proxy.forever = "403"
    with pytest.raises(PipelineError, match="denied access"):
        list(iter_blocks(paths, data, ["amount"]))
