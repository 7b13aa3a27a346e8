"""Columns of numbers: quantities, coordinates, codes and row numbers."""

import re

import numpy as np
import pytest

from pipeline.config.sections.features import Numeric
from pipeline.core.errors import DataError

RANDOM = np.random.default_rng(7)
ROWS = 400


def codes(count, digits=0):
    return [f"{i % count:0{digits}d}" for i in range(ROWS)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("height", [f" {v:.1f} " for v in RANDOM.normal(170, 10, ROWS)], "numeric"),
        ("height", RANDOM.normal(170, 10, ROWS).round(0), "numeric"),
        ("area", RANDOM.integers(40, 4000, ROWS), "numeric"),
        ("community_area", codes(77), "categorical"),
        ("rooms", codes(6), "categorical"),
        ("age", codes(60), "numeric"),
        ("year", [str(2000 + i % 3) for i in range(ROWS)], "numeric"),
        ("month", codes(12), "categorical"),
        ("dayofweek", codes(7), "categorical"),
        ("product_code", codes(70), "categorical"),
        ("zip", codes(90, digits=5), "categorical"),
        ("latitude", RANDOM.normal(41.8, 0.1, ROWS), "numeric"),
        ("lng", RANDOM.normal(-87.6, 0.1, ROWS), "numeric"),
        ("latitude", RANDOM.normal(4180, 1, ROWS), "numeric"),
    ],
)
def test_quantities_are_distinguished_from_codes(propose_feature, name, values, kind):
    assert propose_feature(name, values).kind == kind


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("id", [str(10_000 + 3 * i) for i in range(ROWS)]),
        ("PassengerId", range(ROWS)),
        ("order_no", RANDOM.permutation(10 * ROWS)[:ROWS]),
        ("row", range(1, ROWS + 1)),
        ("shuffled", RANDOM.permutation(ROWS)),
        ("rownames", np.arange(ROWS) * 7 + RANDOM.integers(0, 7, ROWS)),
        ("customer_ref", RANDOM.permutation(100 * ROWS)[:ROWS]),
    ],
)
def test_row_numbers_are_left_out(propose_feature, name, values):
    assert propose_feature(name, values) is None


def test_numbers_that_may_count_the_rows_are_told(propose, signal):
    rows = len(next(iter(signal().values())))
    numbers = {"rank": np.arange(rows) * 7, "size": np.arange(rows)[::-1] * 7}
    proposal = propose({**signal(), **numbers})
    assert {"rank", "size"} <= set(proposal.config.features)
    [warning] = [w for w in proposal.warnings if "larger number than the row before" in w]
    assert warning.startswith("rank: ")
    assert "`--exclude rank`" in warning


def test_coordinates_are_numbers_without_buckets_whatever_their_names(propose, signal):
    """Few places with many rows each are no categories: places nearby behave alike."""
    random = np.random.default_rng(1)
    places = random.normal((48.1, 11.5), 0.2, (60, 2)).round(5)[random.integers(0, 60, ROWS)]
    features = propose({**signal(), "p": places[:, 0], "q": -places[:, 1]}).config.features
    assert {n: features[n] for n in "pq"} == {"p": Numeric(), "q": Numeric()}


def test_large_row_numbers_are_not_shown_rounded(propose, signal):
    rows = len(next(iter(signal().values())))
    proposal = propose({**signal(), "n": [2**63 - 1 - i for i in range(rows)]})
    assert "n" not in proposal.config.features
    assert "consecutive numbers" in proposal.path.read_text()


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        (RANDOM.normal(size=ROWS), "standard"),
        (RANDOM.uniform(0, 1e9, ROWS), "standard"),
        (RANDOM.lognormal(3, 1.5, ROWS), "log"),
        (np.where(RANDOM.random(ROWS) < 0.05, 1e6 * RANDOM.random(ROWS), -1.0), "standard"),
    ],
)
def test_only_tamable_long_tails_get_the_scale_log(propose_feature, values, scale):
    assert propose_feature("amount", values).scale == scale


@pytest.mark.parametrize(
    ("name", "values", "wanted"),
    [
        pytest.param("zip", codes(90, digits=5), "string", id="leading zeros"),
        pytest.param("code", [f"{i % 5}e0" for i in range(ROWS)], "string", id="exponents"),
        pytest.param(
            "code", ["" if i % 7 == 0 else str(i % 5) for i in range(ROWS)], "int", id="gaps"
        ),
        pytest.param("code", [f"{i % 5}.0" for i in range(ROWS)], "int", id="decimal points"),
    ],
)
def test_codes_get_the_type_by_which_equal_codes_are_one(propose, signal, name, values, wanted):
    config = propose({**signal(), name: values}).config
    assert config.features[name].kind == "categorical"
    assert config.data.types == {name: wanted}


def test_codes_without_a_gap_need_no_type(propose, signal):
    assert propose({**signal(), "code": codes(5)}).config.data.types == {}


def test_ten_digits_are_no_time_without_a_name_that_means_time(propose_feature):
    values = [str(1_400_000_000 + 991 * i) for i in range(ROWS)]
    assert propose_feature("amount", values).kind == "numeric"


@pytest.mark.parametrize("largest", ["1e49", "-1e300"])
def test_numbers_beyond_float32_are_left_out_and_said_so(propose, signal, largest):
    table = signal()
    table["mass"] = [i / 7 for i in range(399)] + [largest]
    proposal = propose(table)
    assert "mass" not in proposal.config.features
    (warning,) = [w for w in proposal.warnings if w.startswith("mass: left out")]
    assert f"numbers up to {float(largest):.2g}" in warning


def test_a_label_beyond_float32_is_refused(propose, signal):
    table = signal()
    table["mass"] = [i / 7 for i in range(399)] + ["1e49"]
    with pytest.raises(DataError, match=r"label 'mass' has numbers up to 1e\+49"):
        propose(table, label="mass")


def test_numbers_without_the_unit_of_others_are_to_be_checked(propose, signal):
    table = signal()
    table["weight"] = [f"{50 + x:.2f}{' kg' if i % 2 else ''}" for i, x in enumerate(table["x"])]
    proposal = propose(table)
    assert proposal.config.features["weight"].kind == "numeric"
    assert re.search(r"units: \[kg\] +# kg in 1 column of numbers", proposal.path.read_text())
    (warning,) = [w for w in proposal.warnings if w.startswith("weight:")]
    assert "50 % of the numbers have a unit" in warning


def test_numbers_with_a_unit_and_leading_zeros_get_a_type(propose, signal):
    table = signal()
    table["weight"] = [f"0{5 + x:.2f} kg" for x in table["x"]]
    config = propose(table).config
    assert config.features["weight"].kind == "numeric"
    assert config.data.types == {"weight": "float"}
