"""The file that tells how a model reads times."""

from pathlib import Path

import pytest

from pipeline.core.contracts import TIMES_FILE
from pipeline.core.date_formats import TimeColumn
from pipeline.core.errors import ConfigError
from serving.model.times_file import read_times


def write(directory: Path, text: str) -> str:
    path = directory / TIMES_FILE
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    return str(directory)


def test_formats_and_zones_are_read(tmp_path: Path) -> None:
    text = '{"größe": {"format": "iso", "zone": "utc"}}'
    assert read_times(write(tmp_path, text)) == {"größe": TimeColumn("iso", "utc")}


def test_a_model_of_an_earlier_version_tells_nothing(tmp_path: Path) -> None:
    assert read_times(str(tmp_path)) == {}


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": {"format": "new", "zone": "utc"}}'])
def test_a_damaged_or_unknown_file_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"times\.json"):
        read_times(write(tmp_path, text))
