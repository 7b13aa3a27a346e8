"""What a user is told of a failure that nobody foresaw."""

import pytest

from pipeline.core.text import short_message


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("no such column\nTraceback ...", "no such column"),
        (
            "in user code:\n\n    File x\n    bool of a tensor",
            "in user code: File x bool of a tensor",
        ),
        ("Feature tags had shape dim {\n  size: 2\n}", "Feature tags had shape dim { size: 2 }"),
    ],
)
def test_a_line_that_only_announces_is_not_all(message: str, told: str) -> None:
    assert short_message(message) == told


def test_of_a_long_story_the_end_is_told() -> None:
    told = short_message("in user code:\n" + "File somewhere\n" * 100 + "the cause")
    assert told.startswith("in user code: ...")
    assert told.endswith("the cause")
    assert len(told) < 500
