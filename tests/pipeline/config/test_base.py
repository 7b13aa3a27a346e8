"""Keys are printed as they can be typed."""

from pathlib import Path

import pytest
from small_config import load

from pipeline.config.base import dotted


@pytest.mark.parametrize("name", ["trip.miles", 'so "called"', '"', '"."', 'a"b.c"'])
def test_a_printed_key_can_be_typed_in_set_whatever_the_name(tmp_path: Path, name: str) -> None:
    key = dotted(("features", name))
    assert load(tmp_path, f"{key}=numeric").features[name].kind == "numeric"
