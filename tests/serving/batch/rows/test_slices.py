from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.config import DataConfig
from serving.batch.rows.slices import iter_slices, list_ranges


@pytest.fixture(params=["csv", "parquet"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> DataConfig:
    path = tmp_path / "table"
    if request.param == "csv":
        path.write_text("\n".join(["n", *map(str, range(25_000))]) + "\n", encoding="utf-8")
    else:
        pq.write_table(pa.table({"n": list(map(str, range(25_000)))}), path, row_group_size=3000)
    return DataConfig(path=str(path), source=request.param)


@pytest.mark.parametrize(("first", "last"), [(0, None), (0, 100), (9_999, 20_001), (24_999, None)])
def test_slices_are_the_rows_of_the_range_in_order(
    data: DataConfig, first: int, last: int | None
) -> None:
    path = Path(data.path[0])
    slices = list(iter_slices(path, data, ["n"], 10_000, first, last))
    numbers = [int(n) for piece in slices for n in piece.batch.column(0).to_pylist()]
    assert numbers == list(range(25_000))[first:last]
    assert all(piece.batch.num_rows <= 8192 for piece in slices)
    for piece in slices:
        assert piece.batch.column(0)[0].as_py() == str(piece.first_row)
        assert piece.part == piece.first_row // 10_000
        assert (piece.first_row + piece.batch.num_rows - 1) // 10_000 == piece.part


def test_ranges_are_the_parts_of_a_parquet_file_and_the_whole_of_a_csv_file() -> None:
    assert list_ranges(25, 10) == [(0, 10), (10, 20), (20, 25)]
    assert list_ranges(None, 10) == [(0, None)]
    assert list_ranges(0, 10) == [(0, None)]
