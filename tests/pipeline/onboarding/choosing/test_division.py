"""What divides the rows: chance, a key, or time."""

import numpy as np
import pytest

from pipeline.core.errors import ConfigError, DataError
from pipeline.onboarding import Overrides

RANDOM = np.random.default_rng(11)


def test_guessed_key_is_said_on_screen_and_in_the_file(propose, signal):
    proposal = propose({**signal(3000), "Kunden-Nr": RANDOM.integers(0, 697, 3000)})
    split = proposal.config.data.split
    assert (split.by, split.column) == ("key", "Kunden-Nr")
    assert "Kunden-Nr" not in proposal.config.features
    (said,) = [line for line in proposal.summary if "are in one split" in line]
    assert "'Kunden-Nr'" in said
    assert "--key-column" in said
    line = next(ln for ln in proposal.path.read_text().splitlines() if "column: Kunden-Nr" in ln)
    assert "different values in 3,000 rows" in line


def test_stated_columns_divide_the_rows(propose, signal):
    table = {**signal(600), "shop": [f"s{i % 7}" for i in range(600)], "year": [*range(300)] * 2}
    by_shop = propose(table, overrides=Overrides(key_column="shop", exclude=("x",)))
    assert (by_shop.config.data.split.by, by_shop.config.data.split.column) == ("key", "shop")
    assert "x" not in by_shop.config.features
    assert any("x" in line for line in by_shop.summary if line.startswith("left out"))
    by_year = propose(table, overrides=Overrides(time_column="year"))
    assert (by_year.config.data.split.by, by_year.config.data.split.column) == ("time", "year")
    assert "the latest rows by 'year' are the test split" in by_year.summary


def test_labelled_rows_need_three_times(propose, signal):
    table = signal()
    table["year"] = [2000 + i % 4 if i < 100 else 2001 + i % 2 for i in range(400)]
    table["y"] = ["" if i < 100 else y for i, y in enumerate(table["y"])]
    with pytest.raises(DataError, match="have 2 different times"):
        propose(table, overrides=Overrides(time_column="year"))


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (Overrides(time_column="c"), "the column does not order the rows"),
        (Overrides(key_column="same"), "has 1 different values"),
    ],
)
def test_column_that_cannot_divide_the_rows_is_refused(propose, signal, overrides, words):
    with pytest.raises(ConfigError, match=words):
        propose({**signal(), "same": [3] * 400}, overrides=overrides)
