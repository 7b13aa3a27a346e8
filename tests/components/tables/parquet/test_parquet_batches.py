"""A batch of a Parquet file stays within its bytes, whatever a dictionary makes of few bytes."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables import compression
from components.tables.parquet.parquet_batches import iter_bounded_batches
from components.tables.parquet.parquet_file import iter_parquet_file
from pipeline.config.limits import LimitsConfig
from pipeline.core.errors import DataError

MEGABYTE = 1 << 20
LIMITS = LimitsConfig(batch_bytes=MEGABYTE)


def stored(tmp_path, texts, **settings):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": texts, "n": range(len(texts))}), path, **settings)
    return path


@pytest.mark.parametrize("use_dictionary", [True, False])
def test_the_blocks_of_long_texts_have_few_rows(tmp_path, use_dictionary):
    texts = ["z" * 10_000, "q"] * 2_000
    path = stored(tmp_path, texts, use_dictionary=use_dictionary)
    blocks = list(iter_parquet_file(path, ["n", "x"], LIMITS))
    assert max(block.batch.nbytes for block in blocks) < 1.1 * MEGABYTE
    assert [n for block in blocks for n in block.batch.column(0).to_pylist()] == list(range(4_000))
    assert [x for block in blocks for x in block.batch.column(1).to_pylist()] == texts
    assert [block.first_row for block in blocks][:2] == [0, blocks[0].batch.num_rows]


def test_an_ordinary_file_is_read_in_large_batches(tmp_path):
    path = stored(tmp_path, [f"place {i % 500}" for i in range(100_000)])
    batches = list(iter_bounded_batches(path, ["x", "n"], LimitsConfig()))
    assert [batch.num_rows for batch in batches] == [32_768] * 3 + [1_696]


def test_a_row_that_is_larger_than_a_batch_is_refused(tmp_path):
    path = stored(tmp_path, ["q", "z" * (2 * MEGABYTE)])
    with pytest.raises(DataError, match=r"t\.parquet: a row is larger than data\.limits\.batch_by"):
        list(iter_bounded_batches(path, ["x"], LIMITS))


@pytest.fixture
def from_1_mib_on(monkeypatch):
    monkeypatch.setattr(compression, "_HARMLESS_BYTES", MEGABYTE)


@pytest.mark.usefixtures("from_1_mib_on")
def test_a_file_that_becomes_far_larger_than_its_bytes_is_refused(tmp_path):
    path = stored(tmp_path, ["z" * 100_000] * 4_000)
    assert 5_000 * path.stat().st_size < 4_000 * 100_000
    with pytest.raises(DataError, match="more than 5000 times its size") as caught:
        list(iter_bounded_batches(path, ["x"], LIMITS))
    assert "data.limits.unpacked_ratio" in caught.value.hint
    generous = LIMITS.model_copy(update={"unpacked_ratio": 50_000})
    assert sum(b.num_rows for b in iter_bounded_batches(path, ["x"], generous)) == 4_000


@pytest.mark.usefixtures("from_1_mib_on")
def test_a_range_of_a_file_may_use_its_share_of_the_budget(tmp_path):
    path = stored(tmp_path, ["z" * 100_000] * 4_000, row_group_size=100)
    ratio = 4_000 * 100_000 // path.stat().st_size - 50
    limits = LIMITS.model_copy(update={"unpacked_ratio": ratio})
    with pytest.raises(DataError, match="times its size"):
        list(iter_bounded_batches(path, ["x"], limits, range(10, 20)))
    limits = LIMITS.model_copy(update={"unpacked_ratio": ratio + 100})
    batches = iter_bounded_batches(path, ["x"], limits, range(10, 20))
    assert sum(batch.num_rows for batch in batches) == 1_000


def test_an_empty_row_group_makes_no_small_batches(tmp_path):
    path = tmp_path / "t.parquet"
    table = pa.table({"x": ["z"] * 40_000})
    with pq.ParquetWriter(path, table.schema) as writer:
        for piece in (table[:0], table, table[:0], table):
            writer.write_table(piece)
    assert pq.ParquetFile(path).num_row_groups == 4
    batches = list(iter_bounded_batches(path, ["x"], LimitsConfig()))
    assert sum(batch.num_rows for batch in batches) == 80_000
    assert len(batches) < 5
    assert not list(iter_bounded_batches(path, ["x"], LimitsConfig(), range(2, 3)))


@pytest.mark.usefixtures("from_1_mib_on")
def test_a_sparse_file_of_one_hot_columns_is_read(tmp_path):
    rows, columns = 100_000, [f"c{i}" for i in range(200)]
    zeros = pa.array([0] * rows, pa.int64())
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(dict.fromkeys(columns, zeros)), path)
    assert 500 * path.stat().st_size < rows * len(columns) * 8
    batches = iter_bounded_batches(path, columns, LimitsConfig())
    assert sum(batch.num_rows for batch in batches) == rows
