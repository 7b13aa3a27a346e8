"""Columns of text: categories, free text, identifiers, and numbers mixed with words."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.onboarding import propose_config
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


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(["({:,.2f})"], id="in parentheses"),
        pytest.param(["{:.1f} km", "{:.1f} mi"], id="two units"),
        pytest.param(["{:,.2f}", "{:,.2f}", "from {:.0f}"], id="among words"),
    ],
)
def test_amounts_that_cannot_be_read_are_left_out_with_a_sample(propose, signal, written):
    numbers = RANDOM.uniform(1000, 1e6, ROWS)
    values = [written[i % len(written)].format(v) for i, v in enumerate(numbers)]
    proposal = propose({**signal(), "price": values})
    assert "price" not in proposal.config.features
    (warning,) = [w for w in proposal.warnings if w.startswith("price: left out")]
    assert any(f"such as {v!r}" in warning for v in values)
    assert "write all numbers plainly" in warning


def test_advice_for_parquet_names_no_key_of_csv(tmp_path, monkeypatch, signal):
    monkeypatch.chdir(tmp_path)
    table = {**signal(), "price": [f"{i / 7:.2f} {('EUR', 'USD')[i % 2]}" for i in range(ROWS)]}
    pq.write_table(pa.table(table), "t.parquet")
    warnings = propose_config(["t.parquet"], "y", tmp_path / "my.yaml").warnings
    (warning,) = [w for w in warnings if w.startswith("price: left out")]
    assert "write all numbers plainly" in warning
    assert "data.csv" not in warning


def test_markers_are_not_named_among_the_words_of_a_column_of_numbers(propose, signal):
    table = signal()
    odd = ["NA", "NA", "n/v", "sold"]
    table["x"] = [odd[i // 5 % 4] if i % 5 == 0 else x for i, x in enumerate(table["x"])]
    table["c"] = ["NA" if i % 9 == 0 else c for i, c in enumerate(table["c"])]
    proposal = propose(table)
    assert "NA" in proposal.config.data.csv.missing
    (warning,) = [w for w in proposal.warnings if w.startswith("x: numbers, but also")]
    assert "'n/v'" in warning
    assert "'NA'" not in warning


@pytest.mark.parametrize(("every", "most"), [(3, 0.52), (60, 0.05)])
def test_words_among_numbers_are_allowed_for_in_the_configuration(propose, signal, every, most):
    table = signal(600)
    table["x"] = ["n/v" if i % every == 0 else x for i, x in enumerate(table["x"])]
    table["c"] = ["n/v" if c == "red" else c for c in table["c"]]
    table["y"] = ["n/v" if y else "other" for y in table["y"]]
    assert propose(table).config.features["x"].max_unreadable == most


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
