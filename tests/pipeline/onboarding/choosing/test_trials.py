"""Trials on held-out rows decide between a category, a number and no feature."""

import numpy as np
from ruamel.yaml import YAML

from pipeline.config.sections.features import Categorical

RANDOM = np.random.default_rng(8)
ROWS = 3000


def test_ordered_codes_become_a_number_and_unordered_ones_stay_categories(propose):
    """Of few codes, a category tells as much as their order does."""
    ordered, unordered = RANDOM.integers(0, 400, ROWS), RANDOM.integers(0, 60, ROWS)
    effects = RANDOM.permutation(np.linspace(-2, 2, 60))
    score = np.sin(ordered / 100) * 2 + effects[unordered] + 0.5 * RANDOM.normal(size=ROWS)
    table = {
        "a_zip": [f"{v:05d}" for v in 1000 + ordered * 13],
        "b_zip": [f"{v:05d}" for v in 1000 + unordered * 13],
        "y": (score > 0).astype(int),
    }
    proposal = propose(table)
    assert {n: f.kind for n, f in proposal.config.features.items()} == {
        "a_zip": "numeric",
        "b_zip": "categorical",
    }
    # As a number the codes have no leading zeros to lose.
    assert set(proposal.config.data.types) == {"b_zip"}
    assert "in a trial" in proposal.path.read_text()


def test_ordered_codes_with_exceptions_become_a_category_and_a_number(propose):
    """The label follows the order of the codes, but a fifth of the codes is an exception."""
    codes, exceptional = RANDOM.integers(0, 500, 2 * ROWS), RANDOM.random(500) < 0.2
    label = 4 * np.sin(codes / 40) + 6 * exceptional[codes] + RANDOM.normal(size=2 * ROWS)
    proposal = propose({"a_zip": [f"{v:05d}" for v in 1000 + codes * 13], "y": label.round(3)})
    feature = proposal.config.features["a_zip"]
    assert (feature.kind, feature.ordered) == ("categorical", True)
    assert proposal.config.data.types == {"a_zip": "string"}
    assert "ordered: true" in proposal.path.read_text()


def test_a_table_too_short_for_a_trial_has_no_feature_of_few_rows_a_value(propose, signal):
    tickets = [f"ticket{i * 2 // 3}" for i in range(400)]
    towns = [f"town{i // 3}" for i in range(400)]
    proposal = propose({**signal(), "ticket": tickets, "town": towns})
    assert not {"ticket", "town"} & set(proposal.config.features)
    [line] = [line for line in proposal.path.read_text().splitlines() if "# town: left" in line]
    assert "3.0 rows per value, and a trial takes 500 rows; to keep it, set {" in line
    shown = YAML(typ="safe").load(line.partition("to keep it, set ")[2])
    assert Categorical.model_validate(shown).embedding_dimension == 1


def test_with_many_classes_no_column_of_few_rows_a_value_is_a_feature(propose, signal):
    random = np.random.default_rng(5)
    table = {**signal(ROWS), "tag": [f"tag{v}" for v in random.integers(0, 1000, ROWS)]}
    table["y"] = [f"class{v}" for v in random.integers(0, 25, ROWS)]
    assert "# tag: left out, 3.2 rows per value, and a trial takes at most 20 classes" in (
        propose(table).path.read_text()
    )


def test_columns_of_few_rows_a_value_that_no_trial_reaches_are_left_out(propose):
    random = np.random.default_rng(5)
    effect = {n: random.normal(size=1000) for n in range(9)}
    codes = random.integers(0, 1000, (9, ROWS))
    label = sum(effect[n][codes[n]] for n in range(9)) + 0.1 * random.normal(size=ROWS)
    keys = {f"key{n}": [f"k{v}" for v in codes[n]] for n in range(9)}
    proposal = propose({"x": random.normal(size=ROWS).round(3), **keys, "y": label.round(4)})
    assert len(set(proposal.config.features) & set(keys)) <= 8
    assert "other columns took the time for trials; to keep it, set {kind: " in (
        proposal.path.read_text()
    )


def test_values_of_few_rows_are_kept_where_there_is_no_other_column(propose):
    label = RANDOM.integers(0, 2, 130)
    towns = [f"town{n}" for n in range(130) for _ in range(3)]
    features = propose({"town": towns, "y": np.repeat(label, 3)}).config.features
    assert features["town"].embedding_dimension == 1


def test_a_kept_hash_of_few_rows_a_value_is_one_number(propose):
    """Values of two rows each tell the label of the other row."""
    random, values = np.random.default_rng(6), 12_000
    codes = random.permutation(np.repeat(np.arange(values), 3))
    label = (random.normal(size=values)[codes] + 0.1 * random.normal(size=len(codes))).round(3)
    table = {"x": random.normal(size=len(codes)).round(3), "tag": [f"t{c}" for c in codes]}
    feature = propose({**table, "y": label}).config.features["tag"]
    assert (feature.kind, feature.embedding_dimension) == ("hashed", 1)


def test_values_of_few_rows_stay_only_if_they_tell_something(propose, signal):
    owners = RANDOM.integers(0, 1000, ROWS)
    useless, useful = [f"tag{v}" for v in owners], [f"box{v}" for v in owners[::-1]]
    table = signal(ROWS)
    effect = RANDOM.normal(size=1000)[owners[::-1]]
    table["y"] = (np.array(table["x"]) + 3 * effect + 0.3 * RANDOM.normal(size=ROWS)).round(4)
    proposal = propose({**table, "useless": useless, "useful": useful})
    assert "useless" not in proposal.config.features
    useful_feature = proposal.config.features["useful"]
    assert (useful_feature.kind, useful_feature.embedding_dimension) == ("categorical", 1)
    assert "# useless: left out, 3.1 rows per value" in proposal.path.read_text()


def test_of_many_keys_none_is_a_feature(propose, signal):
    random = np.random.default_rng(4)
    keys = {f"key{i}": [f"k{v}" for v in random.permutation(2 * ROWS // 3)] for i in range(10)}
    table = {name: values + values[: ROWS - len(values)] for name, values in keys.items()}
    assert set(propose({**signal(ROWS), **table}).config.features) == set(signal()) - {"y"}


def make_siblings(values, effects, seed):
    """Returns four columns of codes, and a label to which each code adds its effect."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, values, (4, 2 * ROWS))
    score = sum(effects(random)[c] for c in codes) + random.normal(size=2 * ROWS)
    table = {f"dept_code_{n}": 100 + c for n, c in enumerate(codes, 1)}
    return {**table, "y": (score > 0).astype(int)}


def test_siblings_without_an_order_all_stay_categories(propose):
    for seed in range(3):
        table = make_siblings(15, lambda random: random.normal(size=15), seed)
        kinds = {f.kind for f in propose(table).config.features.values()}
        assert kinds == {"categorical"}, seed


def test_siblings_with_an_order_all_become_numbers(propose):
    table = make_siblings(150, lambda random: np.linspace(-2, 2, 150), 0)
    proposal = propose(table)
    assert [f.kind for f in proposal.config.features.values()] == 4 * ["numeric"]
    text = proposal.path.read_text()
    assert "together with 3 siblings" in text
    assert "ordered codes" not in text


def test_values_of_two_rows_are_no_feature_and_the_split_names_the_key(propose):
    random, values = np.random.default_rng(6), 2000
    codes = random.permutation(np.repeat(np.arange(values), 2))
    label = (random.normal(size=values)[codes] + 0.3 * random.normal(size=2 * values)).round(3)
    table = {"x": random.normal(size=2 * values).round(3), "ticket": [f"t{c}" for c in codes]}
    proposal = propose({**table, "y": label})
    assert set(proposal.config.features) == {"x"}
    lines = proposal.path.read_text().splitlines()
    [left_out] = [line for line in lines if "# ticket: left out" in line]
    assert "2.0 rows per value, and a category needs 3; to keep it, set {" in left_out
    [by] = [line for line in lines if line.strip().startswith("by: row")]
    assert "`init --key-column ticket`" in by
    assert "no column was found" not in by
