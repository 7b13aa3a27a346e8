"""The columns that the model sees."""

import numpy as np
import pytest

RANDOM = np.random.default_rng(11)


def test_rows_of_one_customer_are_not_used_to_predict_each_other(propose):
    customers = RANDOM.integers(0, 300, 6000)
    habit, label = RANDOM.integers(0, 60, 300), RANDOM.integers(0, 2, 300)
    table = {"customer_id": customers, "habit": habit[customers], "y": label[customers]}
    table["noise"] = RANDOM.normal(size=6000)
    proposal = propose(table)
    assert any("the columns hardly predict the label" in w for w in proposal.warnings)


def test_table_without_features_is_refused(propose):
    with pytest.raises(Exception, match="no column to learn from") as caught:
        propose({"id": range(50), "y": [0, 1] * 25})
    assert caught.value.hint == "id: all values differ"


def test_name_that_clients_could_not_tell_apart_is_left_out(propose, signal):
    table = signal()
    proposal = propose({"a b": table["x"], "c": table["c"], "a-b": table["x"], "y": table["y"]})
    assert list(proposal.config.features) == ["a b", "c"]
    assert "# a-b: left out, clients of the served model could not tell it from 'a b'" in (
        proposal.path.read_text()
    )


def test_key_of_the_split_is_no_feature(propose, signal):
    table = {**signal(3000), "customer_id": RANDOM.integers(10_000, 10_600, 3000)}
    proposal = propose(table)
    assert list(proposal.config.features) == ["x", "c"]
    assert "# customer_id: left out, the key of the split" in proposal.path.read_text()
