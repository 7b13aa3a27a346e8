"""The feature kind of a column, by its values and, where they leave it open, by its name."""

import datetime

import numpy as np
import pytest

RANDOM = np.random.default_rng(7)
ROWS = 400
MOMENTS = [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=50 * i) for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("height", RANDOM.normal(170, 10, ROWS).round(1), "numeric"),
        ("smoker", ["yes", "no"] * 200, "boolean"),
        ("smoker", ["TRUE", "FALSE", "NA", "TRUE"] * 100, "boolean"),
        ("smoker", ["0", "1"] * 200, "boolean"),
        ("smoker", ["0.0", "1.0"] * 200, "boolean"),
        ("sex", ["male", "female"] * 200, "categorical"),
        ("sex", ["1", "2"] * 200, "categorical"),
        ("note", [f"the quick brown fox number {i} jumps" for i in range(ROWS)], "text"),
        ("when", [m.isoformat() for m in MOMENTS], "timestamp"),
    ],
)
def test_values_decide_the_kind(propose_feature, name, values, kind):
    assert propose_feature(name, values).kind == kind


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([3] * ROWS, id="constant"),
        pytest.param([""] * ROWS, id="empty"),
        pytest.param(["1.5" if i == 9 else "" for i in range(ROWS)], id="nearly empty"),
    ],
)
def test_column_without_information_is_left_out(propose_feature, values):
    assert propose_feature("extra", values) is None


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (["%d-%b-%Y"], "names of months"),
        (["%b %d, %Y"], "names of months"),
        (["%a, %d %B %Y %H:%M:%S"], "names of months"),
        (["%Y-%m-%d", "%d.%m.%Y"], "several formats"),
        (["%Y-%m-%d", "%d %b %y"], "several formats"),
    ],
)
def test_unreadable_dates_are_left_out_with_a_warning(propose, signal, written, reason):
    values = [m.strftime(written[i % len(written)]) for i, m in enumerate(MOMENTS)]
    proposal = propose({**signal(), "when": values})
    assert "when" not in proposal.config.features
    assert any(w.startswith("when: left out, dates") and reason in w for w in proposal.warnings)
