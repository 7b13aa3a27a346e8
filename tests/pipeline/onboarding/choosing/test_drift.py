"""Labels that change over time."""

import numpy as np
import pytest

from pipeline.onboarding.overrides import Overrides

RANDOM = np.random.default_rng(2)
DAYS = np.datetime64("2024-01-01") + np.arange(1000) // 3


@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.parametrize("drifts", [True, False])
def test_label_that_drifts_earns_a_hint_at_the_split_by_time(propose, signal, task, drifts):
    late = np.arange(1000) >= (800 if drifts else 1000)
    table = signal(1000)
    if task == "binary":
        table["y"] = np.where(late, 1, table["y"])
    else:
        table["y"] = (np.array(table["x"]) + 2 * late).round(4)
    proposal = propose({**table, "sold on": DAYS.astype(str)})
    hints = [w for w in proposal.warnings if w.startswith("sold on: the label drifts")]
    assert len(hints) == drifts
    assert all("`--time-column 'sold on'`" in hint for hint in hints)


@pytest.mark.parametrize("name", ["customer", "shop"])
def test_a_split_by_key_hides_a_drift_as_well(propose, signal, name):
    table = {**signal(1000), "sold on": DAYS.astype(str), name: RANDOM.integers(0, 300, 1000)}
    table["y"] = np.where(np.arange(1000) >= 800, 1, table["y"])
    stated = Overrides(key_column=name) if name == "shop" else Overrides()
    proposal = propose(table, overrides=stated)
    assert proposal.config.data.split.column == name
    [hint] = [w for w in proposal.warnings if "`--time-column 'sold on'`" in w]
    assert hint.startswith("sold on: the label drifts")
