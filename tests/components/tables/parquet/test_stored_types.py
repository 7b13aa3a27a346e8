"""The many types of Parquet become integers, floats or text."""

import datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from components.tables.parquet.parquet_file import find_zones
from components.tables.parquet.stored_types import cast_to_plain, cast_to_text
from components.tables.readers import iter_parquet_blocks
from pipeline.core.errors import DataError

NOON = datetime.datetime(2026, 11, 20, 14, 40, 0, 999_000)
BEFORE_1970 = datetime.datetime(1960, 1, 1, 0, 0, 0, 500_000)


def write_column(tmp_path: Path, cells: pa.Array) -> Path:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": cells}), path)
    return path


@pytest.mark.parametrize(
    ("array", "expected", "kind"),
    [
        (pa.array([1, None], pa.int8()), [1, None], pa.int64()),
        (pa.array([0, None], pa.uint64()), [0, None], pa.int64()),
        (pa.array([2**63, 1], pa.uint64()), ["9223372036854775808", "1"], pa.string()),
        (pa.array([0.1, None], pa.float32()), [pytest.approx(0.1), None], pa.float32()),
        (pa.array([0.1, float("nan")], pa.float64()), [0.1, None], pa.float64()),
        (pa.array([Decimal("1.50"), None]), [1.5, None], pa.float64()),
        (pa.array([True, False, None]), ["true", "false", None], pa.string()),
        (pa.array(["x", None], pa.large_string()), ["x", None], pa.string()),
        (pa.array([b"x", None], pa.binary()), ["x", None], pa.string()),
        (pa.array([b"xy", None], pa.binary(2)), ["xy", None], pa.string()),
        (pa.array([b"x", None], pa.large_binary()), ["x", None], pa.string()),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"], pa.string()),
        (pa.array([None, None]), [None, None], pa.int64()),
        (pa.array([NOON, None], pa.timestamp("ns")), ["2026-11-20T14:40:00", None], pa.string()),
        (pa.array([BEFORE_1970], pa.timestamp("us")), ["1960-01-01T00:00:00"], pa.string()),
        (pa.array([NOON], pa.timestamp("ms", "UTC")), ["2026-11-20T14:40:00+00:00"], pa.string()),
        (pa.array([NOON.date()]), ["2026-11-20"], pa.string()),
        (pa.array([NOON.date()], pa.date64()), ["2026-11-20"], pa.string()),
        (pa.array([NOON.time()]), ["14:40:00"], pa.string()),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else None,
)
def test_each_stored_type_becomes_this_type(tmp_path, array, expected, kind):
    (block,) = iter_parquet_blocks([write_column(tmp_path, array)])
    assert block.column(0).type == kind
    assert block.column(0).to_pylist() == expected


def test_decimals_become_their_shortest_text() -> None:
    cells = pa.array([Decimal("1.00"), Decimal("0.50"), None])
    assert cast_to_text(cells).to_pylist() == ["1", "0.5", None]


LONG = 123456789012345678901


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        ("1", pa.decimal128(1, 0), "1"),
        (f"{LONG}", pa.decimal128(38, 0), f"{LONG}"),
        ("-9007199254740993", pa.decimal256(60, 0), "-9007199254740993"),
        (f"{LONG}.50", pa.decimal128(38, 2), f"{LONG}.5"),
        (f"{LONG}.00", pa.decimal128(38, 15), f"{LONG}"),
        ("12345678901234567890123456789012345678", pa.decimal128(38, 0),
         "12345678901234567890123456789012345678"),
        ("2E+3", pa.decimal128(38, -3), "2000"),
        ("0.00", pa.decimal128(38, 2), "0"),
    ],
)  # fmt: skip
def test_a_decimal_keeps_all_its_digits_as_text(number: str, kind: pa.DataType, text: str) -> None:
    cells = pa.array([Decimal(number), None, Decimal(number)], kind)
    assert cast_to_text(cells).to_pylist() == [text, None, text]


def test_whole_decimals_are_integers_and_identifiers_beyond_int64_are_text() -> None:
    kind = pa.decimal128(38, 0)
    assert cast_to_plain(pa.array([Decimal(2**53 + 1)], kind)).to_pylist() == [2**53 + 1]
    assert cast_to_plain(pa.array([Decimal(LONG), Decimal(1)], kind)).to_pylist() == [
        str(LONG), "1",
    ]  # fmt: skip
    assert cast_to_plain(pa.array([Decimal("2.50")], pa.decimal128(38, 2))).to_pylist() == [2.5]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Chicago", "Asia/Kolkata", "-03:30"])
def test_a_column_with_a_zone_enters_as_the_clock_of_that_zone(tmp_path, zone):
    first = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    instants = [first + datetime.timedelta(minutes=90 * i) for i in range(365 * 16)]
    kind = pa.timestamp("us", zone)
    path = write_column(tmp_path, pa.array([*instants, None], kind))
    (block,) = iter_parquet_blocks([path])
    texts = block.column(0).to_pylist()
    assert texts.pop() is None
    assert [datetime.datetime.fromisoformat(text) for text in texts] == instants
    clock = ZoneInfo(zone) if "/" in zone else datetime.timezone(-datetime.timedelta(hours=3.5))
    assert texts == [moment.astimezone(clock).isoformat() for moment in instants]
    assert find_zones(path) == {"x": zone}


def test_a_zone_that_nobody_knows_is_refused(tmp_path):
    path = write_column(tmp_path, pa.array([NOON], pa.timestamp("ms", "Moon/Tycho")))
    with pytest.raises(
        DataError, match=r"t\.parquet: column 'x' .*: there is no time zone 'Moon/Tycho'"
    ):
        list(iter_parquet_blocks([path]))
