"""Text cells as numbers, by the rules of ExampleGen."""

import numpy as np
import pyarrow as pa
import pytest

from pipeline.config import CsvConfig
from pipeline.onboarding.reading.number_parsing import parse_numbers


@pytest.mark.parametrize(
    ("cell", "decimal", "value"),
    [
        ("1.5", ".", 1.5), ("-2", ".", -2), (" 3 ", ".", 3), ("1e3", ".", 1000), (".5", ".", 0.5),
        ("5.", ".", 5), ("007", ".", 7), ("1,5", ",", 1.5), ("1,5", ".", None), ("1.5", ",", None),
        ("+1", ".", None), ("inf", ".", None), ("1e39", ".", 1e39), ("1e400", ".", None),
        ("0x10", ".", None), ("1_000", ".", None), ("nan", ".", None), ("--1", ".", None),
        ("١", ".", None),
    ],
)  # fmt: skip
def test_only_cells_that_example_gen_reads_are_numbers(cell, decimal, value):
    parsed = parse_numbers(pa.array([cell, None, "  "]), CsvConfig(delimiter=";", decimal=decimal))
    assert parsed.non_numbers.to_pylist() == ([] if value is not None else [cell])
    assert np.isnan(parsed.values[1:]).all()
    assert (None if np.isnan(parsed.values[0]) else parsed.values[0]) == value
