"""Whole numbers that identify someone or something, and quantities, which do not."""

from pathlib import Path

import numpy as np
import pytest

from pipeline.onboarding.choosing.number_keys import hint_at_number_keys
from pipeline.onboarding.overrides import Overrides
from pipeline.onboarding.table import read_table

ROOT = Path(__file__).parents[4]
RANDOM = np.random.default_rng(5)
ROWS = 3000
OWNERS = RANDOM.integers(0, 697, ROWS)
OF_OWNER = RANDOM.normal(size=697)[OWNERS]
SITES = np.array(["north", "south", "east", "west"])[RANDOM.integers(0, 4, 697)][OWNERS]
NOISE = RANDOM.normal(size=ROWS)


def hint(to_columns, labels, **columns):
    table = {"y": labels, **columns}
    texts = {n: [str(v) for v in values] for n, values in table.items()}
    return list(hint_at_number_keys(to_columns(texts), "y", list(columns), list(columns)).values())


@pytest.mark.parametrize("name", ["machine", "contract", "seller", "x7"])
@pytest.mark.parametrize(
    "numbers", [OWNERS, OWNERS + 10_000, RANDOM.permutation(10**6)[:697][OWNERS]]
)
@pytest.mark.parametrize(
    "labels",
    [
        [f"{v:.4f}" for v in OF_OWNER + 2 * NOISE],
        np.where(OF_OWNER + NOISE > 1, "yes", "no"),
        np.array(["a", "b", "c"])[np.digitize(OF_OWNER + NOISE, [-1, 1])],
    ],
)
def test_numbers_whose_rows_have_like_labels_earn_a_hint(to_columns, name, numbers, labels):
    [said] = hint(to_columns, labels, **{name: numbers})
    assert said.startswith(f"{name}: {len(np.unique(numbers))} different values in 3,000 rows; ")
    assert "rows with the same number have like labels, neighbouring numbers do not" in said
    assert said.endswith(f"`--key-column {name}`")


def test_numbers_that_determine_other_columns_earn_a_hint(to_columns):
    years = RANDOM.integers(2000, 2023, 697)[OWNERS]
    labels = RANDOM.integers(0, 2, ROWS)
    [said] = hint(to_columns, labels, **{"the machine": OWNERS, "site": SITES, "built": years})
    assert "each number has one value of 'site' and of 'built': it may identify" in said
    assert said.endswith("`--key-column 'the machine'`")


def test_one_hint_is_enough_for_several_columns_of_the_same_machines(to_columns):
    serial = RANDOM.permutation(697)[OWNERS]
    said = hint(to_columns, [f"{v:.4f}" for v in OF_OWNER + NOISE], machine=OWNERS, serial=serial)
    assert [line.split(":")[0] for line in said] == ["machine"]


SKEWED = RANDOM.lognormal(7, 0.8, ROWS).astype(int)
EVEN = RANDOM.integers(0, 500, ROWS)
TREND = {
    "nothing": NOISE,
    "a straight line": EVEN / 100 + NOISE,
    "a wave": np.sin(EVEN / 30) + NOISE,
    "the quantity itself": EVEN * 3.0,
    "a step": np.where(EVEN > 250, 1.0, -1.0) + NOISE / 10,
}


@pytest.mark.parametrize("labels", TREND.values(), ids=TREND)
def test_a_quantity_with_an_effect_on_the_label_earns_no_hint(to_columns, labels):
    group = np.array(["few", "some", "many"])[np.digitize(EVEN, [100, 300])]
    doubled, weekday = 2 * EVEN, np.array(list("abcdefg"))[EVEN % 7]
    columns = {"quantity": EVEN, "doubled": doubled, "group": group, "cycle": weekday}
    assert not hint(to_columns, [f"{v:.4f}" for v in labels], **columns)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("age", np.clip(RANDOM.normal(45, 15, ROWS), 18, 99).astype(int)),
        ("built", RANDOM.integers(1890, 2024, ROWS)),
        ("price", SKEWED),
        ("price", SKEWED // 10 * 10 + 9),
        ("machine", np.arange(ROWS)),
        ("minutes", RANDOM.integers(0, 1440, ROWS)),
    ],
)
def test_a_quantity_without_an_effect_on_the_label_earns_no_hint(to_columns, name, values):
    labels = [f"{v:.4f}" for v in NOISE]
    assert not hint(to_columns, labels, **{name: values, "site": SITES})


def test_prices_that_are_alike_only_where_they_are_equal_earn_no_hint(to_columns):
    """Real prices crowd together: numbers that were given out fill their range evenly."""
    prices = np.unique(SKEWED)[:697][OWNERS % len(np.unique(SKEWED)[:697])] ** 2
    assert not hint(to_columns, [f"{v:.4f}" for v in OF_OWNER + NOISE], price=prices)


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("data/chicago_taxi/sample.csv", "tips"),
        ("data/chicago_taxi/sample.csv", "trip_seconds"),
        ("data/bike_sharing/bike_sharing.csv", "bikers"),
    ],
)
def test_the_sample_tables_earn_no_hint(path, label):
    columns = read_table([str(ROOT / path)], label).columns
    names = [name for name in columns if name not in (label, "trip_start_timestamp")]
    assert not hint_at_number_keys(columns, label, names, names)


def test_the_hint_is_on_the_screen_and_its_advice_divides_by_the_numbers(propose):
    table = {"y": [f"{v:.4f}" for v in OF_OWNER + NOISE], "machine": OWNERS.tolist()}
    proposal = propose({**table, "x": NOISE.round(3).tolist()})
    assert proposal.config.data.split.by == "row"
    assert any(
        "! machine: " in line and "--key-column machine" in line for line in proposal.summary
    )
    proposal = propose(table | {"x": NOISE.tolist()}, overrides=Overrides(key_column="machine"))
    assert proposal.config.data.split.column == "machine"
