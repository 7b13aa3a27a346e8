"""Shares, key and seed of the split."""

import numpy as np
import pytest

RANDOM = np.random.default_rng(11)


@pytest.mark.parametrize(("rows", "test"), [(200, 0.2), (3000, 0.15), (10_000, 0.1)])
def test_small_tables_get_larger_eval_and_test_shares(propose, signal, rows, test):
    split = propose(signal(rows)).config.data.split
    assert (split.by, split.eval, split.test) == ("row", test, test)


def test_rare_class_gets_larger_eval_and_test_shares(propose, signal):
    table = signal(20_000)
    table["y"] = [int(x > 2.6) for x in table["x"]]
    proposal = propose(table)
    assert proposal.config.data.split.test == 0.2
    assert any("of the rarer class" in w for w in proposal.warnings)


def test_seed_is_found_with_which_every_split_has_every_class(propose, signal, tmp_path):
    table = signal(60)
    table["y"] = ["rare" if i % 12 == 0 else "common" for i in range(60)]
    proposal = propose(table)
    assert not any("no row of" in w for w in proposal.warnings)
    text = (tmp_path / "config.yaml").read_text()
    assert f"seed: {proposal.config.data.split.seed} " in text
    assert "# gives every split enough rows of every class" in text


@pytest.mark.parametrize("name", ["CustomerID", "id"])
def test_split_goes_by_customer_if_customers_have_several_rows(propose, signal, name):
    table = signal(3000)
    table[name] = RANDOM.integers(10_000, 10_600, 3000)
    config = propose(table).config
    assert (config.data.split.by, config.data.split.column) == ("key", name)
    assert name not in config.features


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("store_id", RANDOM.integers(0, 10, 1000)),
        ("customer_id", RANDOM.integers(0, 10, 1000)),
        ("customer_id", np.arange(1000)),
        ("customer_age", RANDOM.integers(18, 400, 1000)),
    ],
)
def test_column_without_many_recurring_entities_is_no_key(propose, signal, name, values):
    assert propose({**signal(1000), name: values}).config.data.split.by == "row"
