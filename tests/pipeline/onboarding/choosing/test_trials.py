"""Trials on held-out rows decide between a category, a number and no feature."""

import numpy as np

RANDOM = np.random.default_rng(8)
ROWS = 3000


def test_ordered_codes_become_a_number_and_unordered_ones_stay_categories(propose):
    ordered, unordered = RANDOM.integers(0, 60, (2, ROWS))
    effects = RANDOM.permutation(np.linspace(-2, 2, 60))
    score = np.sin(ordered / 15) * 2 + effects[unordered] + 0.5 * RANDOM.normal(size=ROWS)
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


def test_where_no_trial_is_possible_hardly_repeated_values_are_left_out(propose, signal):
    tickets = [f"ticket{i * 2 // 3}" for i in range(400)]
    towns = [f"town{i // 3}" for i in range(400)]
    features = propose({**signal(), "ticket": tickets, "town": towns}).config.features
    assert "ticket" not in features
    assert features["town"].kind == "categorical"


def test_values_of_few_rows_stay_only_if_they_tell_something(propose, signal):
    owners = RANDOM.integers(0, 1000, ROWS)
    useless, useful = [f"tag{v}" for v in owners], [f"box{v}" for v in owners[::-1]]
    table = signal(ROWS)
    effect = RANDOM.normal(size=1000)[owners[::-1]]
    table["y"] = (np.array(table["x"]) + 3 * effect + 0.3 * RANDOM.normal(size=ROWS)).round(4)
    proposal = propose({**table, "useless": useless, "useful": useful})
    assert "useless" not in proposal.config.features
    assert proposal.config.features["useful"].kind == "categorical"
    assert "# useless: left out, 3.1 rows per value" in proposal.path.read_text()


def test_of_many_keys_none_is_a_feature(propose, signal):
    random = np.random.default_rng(4)
    keys = {f"key{i}": [f"k{v}" for v in random.permutation(2 * ROWS // 3)] for i in range(10)}
    table = {name: values + values[: ROWS - len(values)] for name, values in keys.items()}
    assert set(propose({**signal(ROWS), **table}).config.features) == set(signal()) - {"y"}
