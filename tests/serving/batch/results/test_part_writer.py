import datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from object_store import Bucket

from serving.batch.results.output_files import open_output
from serving.batch.results.part_writer import PartWriter
from serving.batch.task import Format


def table(start: int, rows: int = 3) -> pa.Table:
    return pa.table(
        {"n": list(range(start, start + rows)), "p": pa.array([0.93] * rows, "float32")}
    )


def test_all_tables_are_written_in_order(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.parquet"
    with PartWriter(
        open_output(str(tmp_path)), str(path.relative_to(tmp_path)), "parquet", table(0).schema
    ) as writer:
        for start in range(0, 300_000, 1000):
            writer.write(table(start, 1000))
    assert (writer.rows, writer.bytes) == (300_000, path.stat().st_size)
    assert pq.read_table(path)["n"].to_pylist() == list(range(300_000))
    assert pq.read_metadata(path).num_row_groups == 3


def test_a_csv_file_has_short_numbers_and_times_as_text(tmp_path: Path) -> None:
    content = table(0, 1).append_column("at", pa.array([datetime.datetime(2026, 1, 2, 3)]))
    content = content.append_column("price", pa.array([Decimal("1.50")]))
    path = tmp_path / "a.csv"
    with PartWriter(
        open_output(str(tmp_path)), str(path.relative_to(tmp_path)), "csv", content.schema
    ) as writer:
        writer.write(content)
    assert path.read_text() == '"n","p","at","price"\n0,0.93,"2026-01-02T03:00:00","1.5"\n'


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_an_error_leaves_the_old_file_and_no_part_of_the_new_one(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with PartWriter(open_output(str(tmp_path)), "a", form, table(0).schema) as writer:
            writer.write(table(0))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_store_gets_the_bytes_that_a_directory_gets(
    tmp_path: Path, bucket: Bucket, form: Format
) -> None:
    for output in (str(tmp_path), bucket.url("out")):
        with PartWriter(open_output(output), "deep/größe %1.x", form, table(0).schema) as writer:
            writer.write(table(0))
    content = (tmp_path / "deep/größe %1.x").read_bytes()
    assert open_output(bucket.url("out")).read("deep/größe %1.x") == content
    assert writer.bytes == len(content)
