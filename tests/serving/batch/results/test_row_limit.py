import pytest

from pipeline.core.errors import ConfigError
from serving.batch.results.row_limit import RowLimit


def test_the_default_is_a_share_with_a_key_and_no_row_without() -> None:
    assert str(RowLimit.parse("", has_key=True)) == "1 %"
    assert str(RowLimit.parse("", has_key=False)) == "0"
    assert not RowLimit.parse("", has_key=True).is_exceeded(1, 100)
    assert RowLimit.parse("", has_key=True).is_exceeded(2, 100)
    assert RowLimit.parse("", has_key=False).is_exceeded(1, 1_000_000)


def test_a_share_is_judged_early_only_if_very_many_rows_are_bad() -> None:
    share = RowLimit.parse("0.5%", has_key=True)
    assert not share.is_exceeded_early(500, 1000)
    assert share.is_exceeded_early(10_001, 1_000_000)
    assert RowLimit.parse("3", has_key=True).is_exceeded_early(4, 1_000_000)


@pytest.mark.parametrize("text", ["few", "-1", "1.5", "101%", "%"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="neither a number of rows nor a share"):
        RowLimit.parse(text, has_key=True)
