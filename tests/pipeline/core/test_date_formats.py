"""Each way to write a date means the same to Arrow, to `init` and to the TensorFlow graph."""

import inspect
import re
from datetime import datetime, timezone
from typing import get_args

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tensorflow as tf

from components.tables.timestamps import find_unreadable, parse_times
from pipeline.config.sections import features
from pipeline.core.date_formats import (
    DATE_FORMATS,
    EPOCH_UNITS,
    EpochFormat,
    TextFormat,
    TimeColumn,
    TimestampFormat,
)
from pipeline.onboarding.reading.dates import is_written_as_date
from trainer_module.encoding.timestamps import parse_moment

MOMENTS = {
    "2026-11-20": datetime(2026, 11, 20),
    "2026-11-20T14:40:00": datetime(2026, 11, 20, 14, 40),
    "11/20/2026 02:40:00 PM": datetime(2026, 11, 20, 14, 40),
    "20.11.2026 14:40": datetime(2026, 11, 20, 14, 40),
}
EXAMPLES = [(name, text) for name, f in DATE_FORMATS.items() for text in f.examples]


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_all_engines_read_an_example_as_the_same_time(name: TextFormat, text: str) -> None:
    expected = MOMENTS[text]
    [microseconds] = parse_times(pa.array([text]), name).to_pylist()
    assert microseconds == expected.replace(tzinfo=timezone.utc).timestamp() * 1e6
    moment = parse_moment(tf.constant([[text]]), name)
    parts = (moment.year, moment.month, moment.day, moment.hour)
    hour = expected.hour + expected.minute / 60
    assert moment.is_valid.numpy().item()
    assert [part.numpy().item() for part in parts] == pytest.approx(
        [expected.year, expected.month, expected.day, hour]
    )
    assert pc.all(is_written_as_date(pa.array([text]))).as_py()


def test_the_help_of_the_setting_shows_every_format() -> None:
    text = inspect.getsource(features.Timestamp)
    assert all(f"`{name}`: " in text for name in DATE_FORMATS)
    assert all(example in text for _, example in EXAMPLES)


@pytest.mark.parametrize("name", DATE_FORMATS)
def test_both_patterns_name_the_parts_of_a_time(name: TextFormat) -> None:
    for pattern in (DATE_FORMATS[name].feature_pattern, DATE_FORMATS[name].split_pattern):
        groups = set(re.compile(pattern).groupindex)
        assert groups >= {"year", "month", "day", "hour", "minute", "half"}


def test_epochs_count_seconds_or_thousandths() -> None:
    for name, units in EPOCH_UNITS.items():
        moment = parse_moment(tf.constant([[86_400 * units]], tf.int64), name)
        parts = (moment.year, moment.month, moment.day)
        assert [part.numpy().item() for part in parts] == [1970, 1, 2]
        same = parse_moment(tf.constant([[86_400 * units]], tf.int64), name, "none")
        assert (same.is_valid & (same.date == moment.date)).numpy().item()
        assert "offset" not in TimeColumn(name, "none").wanted


TEXTS = (
    *(text for _, text in EXAMPLES), "31.08.2025", " 31 / 8 / 25 ", "08/31/2025 12:40 AM",
    "08/31/2025 13:40 AM", "08/31/2025 13:40 pm", "29.02.2023", "29.02.2024", "32.13.2025",
    "0000-01-01", "9999-12-31T23:59:59.5Z", "2025-08-31 24:00", "2025-08-31 10:60", "20250831",
    "20250832", "2025-8-31,9:05", "2025-08-31 10:00+01:00", "2025-08-31T10:00-24:30",
    "\u0663\u0661.08.2025", "31.08.2025\v", "31.08.2025\u00a0", "gestern", "31.08.68", "29.02.00",
    "31.08.2025\n", "0", "-62135596800", "-62135596801", "253402300799", "253402300800",
    "-62135596800001", "+17.", " 17.9 ", "1e9", "123456789012345678", "17x", "--1",
)  # fmt: skip


@pytest.mark.parametrize("zone", ["as_written", "none", "utc"])
@pytest.mark.parametrize("name", get_args(TimestampFormat))
def test_the_server_and_predict_refuse_what_the_graph_cannot_read(
    name: TimestampFormat, zone: str
) -> None:
    column = TimeColumn(name, zone)
    valid = parse_moment(tf.constant([[text] for text in TEXTS]), name, zone).is_valid.numpy()[:, 0]
    assert [column.reads(text) for text in TEXTS] == valid.tolist()
    assert find_unreadable(pa.array(TEXTS), column).tolist() == (~valid).tolist()
    assert column.reads(column.example)
    assert not find_unreadable(pa.array([None, "", " "], pa.string()), column).any()


OFFSETS = ("Z", " UTC", "+02:00", "-05:00", "+0530", "-00:00")


@pytest.mark.parametrize(("name", "text"), EXAMPLES)
def test_without_a_zone_no_engine_reads_a_time_with_an_offset(name: TextFormat, text: str) -> None:
    texts = [text, *(text + offset for offset in OFFSETS)]
    expected = [True, *(False for _ in OFFSETS)]
    column = TimeColumn(name, "none")
    assert [column.reads(each) for each in texts] == expected
    assert (~find_unreadable(pa.array(texts), column)).tolist() == expected
    assert parse_times(pa.array(texts), name, "none").is_valid().tolist() == expected
    valid = parse_moment(tf.constant([[each] for each in texts]), name, "none").is_valid
    assert valid.numpy()[:, 0].tolist() == expected
    assert column.wanted == f"{name}, such as {column.example}, without an offset from UTC"


@pytest.mark.parametrize("name", EPOCH_UNITS)
def test_numbers_of_the_years_1_to_9999_are_times(name: EpochFormat) -> None:
    first, last = TimeColumn(name).epoch_range()
    numbers = [first - 1, first, 0, last, last + 1]
    valid = parse_moment(tf.constant([[n] for n in numbers], tf.int64), name).is_valid.numpy()
    assert valid[:, 0].tolist() == [False, True, True, True, False]
    assert find_unreadable(pa.array(numbers), TimeColumn(name)).tolist() == [1, 0, 0, 0, 1]
