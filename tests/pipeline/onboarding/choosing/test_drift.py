"""Labels that change over time."""

import numpy as np
import pytest

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
