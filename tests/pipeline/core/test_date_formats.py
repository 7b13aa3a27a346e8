"""Each way to write a date means the same to Arrow, to `init` and to the TensorFlow graph."""

import inspect
import re
from datetime import datetime, timezone

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import tensorflow as tf

from components.tables.timestamps import parse_times
from pipeline.config.sections import features
from pipeline.core.date_formats import DATE_FORMATS, EPOCH_UNITS, TextFormat
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
