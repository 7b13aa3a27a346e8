"""Text that means the same is written in the same way."""

from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.tables.readers import read_header
from components.tables.splitting.canonical_text import make_canonical
from components.tables.splitting.cell_hash import hash_rows
from components.tables.typed_table import TypedTable, infer_types
from pipeline.config import DataConfig

CELLS = st.none() | st.text(alphabet="0123456789-+:.TtrueFalsZ \u00a0\u3000é,", max_size=30)


def write(*cells: str | None) -> list[str | None]:
    written: list[str | None] = make_canonical(pa.array(cells, pa.string())).to_pylist()
    return written


def test_a_boolean_is_written_in_lower_case() -> None:
    assert write("True", "TRUE", "true", " True\t") == ["true"] * 4
    assert write("False", "FALSE", "false") == ["false"] * 3
    assert write("Trust", "T", "Trued", "Falso") == ["Trust", "T", "Trued", "Falso"]


@pytest.mark.parametrize("blank", [" ", "\t", "\r\n", "\u00a0", "\u3000", "\u2009 "])
def test_outer_blanks_are_left_out(blank: str) -> None:
    assert write(f"{blank}a{blank}b", f"é{blank}", blank, "à") == [f"a{blank}b", "é", "", "à"]


@pytest.mark.parametrize(
    ("cells", "canonical"),
    [
        (
            "2026-07-01T14:40:00|2026-07-01 14:40:00|2026-07-01T14:40|2026-07-01 14:40:00.000|"
            "2026-07-01T14:40:00,5",
            "2026-07-01T14:40:00",
        ),
        (
            "2026-07-01T14:40:00Z|2026-07-01 14:40:00+00:00|2026-07-01 14:40+0000|"
            "2026-07-01 14:40:00.25 Z",
            "2026-07-01T14:40:00+00:00",
        ),
        ("2026-07-01T14:40:00-08:00|2026-07-01 14:40:00-0800", "2026-07-01T14:40:00-08:00"),
        ("2026-07-01|2026-07-01T00:00:00|2026-07-01 00:00|2026-07-01 00:00:00.0", "2026-07-01"),
        ("2026-07-01 00:00:00+02:00|2026-07-01T00:00+0200", "2026-07-01T00:00:00+02:00"),
    ],
)
def test_a_time_is_written_in_one_way(cells: str, canonical: str) -> None:
    written = write(*cells.split("|"), None)
    assert written == [canonical] * (len(written) - 1) + [None]


@pytest.mark.parametrize(
    "text",
    [
        "2026-07-01x", "2026-07-01 at 14:40", "2026-07-01 14-40:00", "2026-07-01T14:40:00x",
        "2026-07-01 : note", "12345678901234567890", "26-07-01", "2026-07-01 00:00:00 : x",
    ],
)  # fmt: skip
def test_text_that_is_nearly_a_time_stays_as_it_is(text: str) -> None:
    assert write(text) == [text]


@given(st.lists(CELLS), st.integers(0, 3))
def test_cells_are_written_one_by_one_and_once(cells: list[str | None], cut: int) -> None:
    written = write(*cells)
    assert written == [write(cell)[0] for cell in cells]
    assert write(*written) == written
    sliced = make_canonical(pa.array(cells, pa.string()).slice(cut))
    assert sliced.to_pylist() == written[cut:]
    sliced.validate(full=True)


def hash_file(path: Path) -> list[int]:
    source = "parquet" if path.suffix == ".parquet" else "csv"
    data = DataConfig.model_validate({"path": str(path), "source": source})
    names = read_header(path, data).names
    table = TypedTable([path], data, {}, infer_types([path], data, names))
    return [
        number
        for block in table.blocks()
        for number in hash_rows(block.batch, block.batch.schema.names, 0, block.exact).tolist()
    ]


def test_the_same_table_has_the_same_hashes_in_each_format(tmp_path: Path) -> None:
    noon = datetime.datetime(2026, 7, 1, 12, 0)
    times = pd.Series([noon, noon.replace(hour=0), None, noon.replace(microsecond=5000)])
    table = pd.DataFrame(
        {
            "flag": [True, False, True, True], "maybe": [True, None, False, None], "time": times,
            "zoned": times.dt.tz_localize("Europe/Berlin"), "day": pd.to_datetime(times).dt.date,
            "text": [" y", "y\t", "", None], "number": [1.5, 2.0, None, 16777217.0],
        }
    )  # fmt: skip
    paths = [tmp_path / name for name in ("t.parquet", "pandas.csv", "arrow.csv")]
    table.to_parquet(paths[0])
    table.to_csv(paths[1], index=False)
    pa_csv.write_csv(pa.Table.from_pandas(table), paths[2])
    first, *others = map(hash_file, paths)
    assert others == [first, first]
