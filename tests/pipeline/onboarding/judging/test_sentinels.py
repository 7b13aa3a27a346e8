"""Numbers that may stand for a missing value."""

import numpy as np
import pytest

RANDOM = np.random.default_rng(7)


ROWS = 400


@pytest.mark.parametrize(
    ("usual", "odd", "share", "remark"),
    [
        (RANDOM.integers(1, 41, ROWS), 999, 0.1, "999 in 10 % of the values"),
        (RANDOM.integers(1920, 2023, ROWS), 0, 0.05, "0 in 5 % of the values"),
        (RANDOM.normal(50, 9, ROWS).round(2), -999.0, 0.2, "-999.0 in 20 % of the values"),
        (RANDOM.integers(1, 41, ROWS), 999, 0.01, ""),
        (RANDOM.integers(1, 41, ROWS), 60, 0.1, ""),
        (RANDOM.integers(1, 1000, ROWS), 0, 0.5, ""),
        (RANDOM.integers(0, 9, ROWS), 99, 0.1, ""),
        (RANDOM.lognormal(3, 1.5, ROWS).round(2), 0, 0.3, ""),
    ],
)
def test_frequent_numbers_far_from_all_others_are_remarked_on(
    propose, signal, tmp_path, usual, odd, share, remark
):
    values = [odd if i % (1 / share) < 1 else v for i, v in enumerate(usual)]
    proposal = propose({**signal(), "amount": values})
    line = next(
        line for line in (tmp_path / "config.yaml").read_text().splitlines() if "amount:" in line
    )
    advice = f"{remark}, far from all others: if it means missing, add it to data.csv.missing"
    assert (advice in line) == ("data.csv.missing" in line) == bool(remark)
    assert proposal.config.data.csv.missing == ("",)
