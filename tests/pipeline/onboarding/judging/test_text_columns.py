"""Columns of text: categories, free text, identifiers, and numbers mixed with words."""

import numpy as np
import pytest

from pipeline.onboarding.judging.text_columns import choose_text_feature, quote_shortened

RANDOM = np.random.default_rng(7)
ROWS = 400


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("city", [f"city {i % 40}" for i in range(ROWS)]),
        ("flag", ["x", ""] * 200),
    ],
)
def test_recurring_texts_are_categories(propose_feature, name, values):
    assert propose_feature(name, values).kind == "categorical"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("uuid", [f"{i:032x}" for i in RANDOM.permutation(10**6)[:ROWS]]),
        ("name", [f"Nobody{i}" for i in range(ROWS)]),
    ],
)
def test_identifiers_are_left_out(propose_feature, name, values):
    assert propose_feature(name, values) is None


def test_identifier_is_left_out_although_rows_are_repeated(propose, signal):
    table = {**signal(), "uuid": [f"{i:032x}" for i in RANDOM.permutation(10**6)[:ROWS]]}
    twice = {name: [*values, *values[::3]] for name, values in table.items()}
    assert set(propose(twice).config.features) == {"x", "c"}


def test_words_among_numbers_make_categories_or_are_left_out(propose, signal):
    rooms = ["many" if i % 9 == 0 else str(i % 5) for i in range(ROWS)]
    copy = ["no" if i % 80 == 0 and not y else f"{y}" for i, y in enumerate(signal()["y"])]
    config = propose({**signal(), "rooms": rooms, "copy": copy}).config
    assert set(config.features) == {"x", "c", "rooms"}
    assert config.features["rooms"].kind == "categorical"
    assert config.data.types == {"rooms": "string", "copy": "string"}


@pytest.mark.parametrize("written", ["({:,.2f})", "{:.1f} km"])
def test_numbers_that_cannot_be_parsed_are_left_out(propose_feature, written):
    values = [written.format(v) for v in RANDOM.uniform(1000, 1e6, ROWS)]
    assert propose_feature("price", values) is None


def choose(to_columns, values):
    return choose_text_feature(to_columns({"town": values})["town"]).feature.value


def test_many_different_values_are_hashed(to_columns):
    towns = [f"T{i}" for i in RANDOM.integers(0, 15_000, 40_000)]
    assert choose(to_columns, towns).kind == "hashed"


def test_many_rare_categories_are_merged(to_columns):
    town = choose(
        to_columns, [f"T{i}" for i in (*[*range(20)] * 120, *(20 + i // 2 for i in range(600)))]
    )
    assert (town.min_count, town.embedding_dimension) == (10, None)


def test_where_nearly_all_categories_are_rare_only_the_rarest_are_merged(to_columns):
    town = choose(to_columns, [f"T{i}" for i in RANDOM.integers(0, 700, 3000)])
    assert (town.min_count, town.embedding_dimension) == (5, 1)


def test_short_titles_are_text_and_codes_of_two_words_are_not(to_columns):
    words = np.array("old new red blue small large shirt coat shoe hat scarf glove".split())
    titles = [f"{' '.join(w)} {i}" for i, w in enumerate(words[RANDOM.integers(0, 12, (500, 2))])]
    assert choose(to_columns, titles).kind == "text"
    codes = [f"AB{i} {i * 7919}" for i in [*range(300)] * 3]
    assert choose(to_columns, codes).kind == "categorical"


def test_shown_values_are_cut_and_quoted():
    assert quote_shortened("short") == "'short'"
    assert quote_shortened("x" * 29 + "\n" + "y" * 50) == "'" + "x" * 29 + "\\n…'"
