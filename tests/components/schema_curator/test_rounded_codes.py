"""Codes that float32 has merged never become a category."""

from __future__ import annotations

import pandas as pd
import pytest
import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.curate import curate_schema
from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import summarize_columns
from pipeline.config import LabelConfig
from pipeline.core.errors import DataError

LABEL = LabelConfig(column="y", task="regression")


def curate(kind: str, numbers: list[float]) -> schema_pb2.Schema:
    rules = CurationRules(
        kinds={"zip.code": kind},
        label=LABEL,
        imported=False,
        reference="served",
        max_domain=100,
        new_category_share=0.01,
        missing_values_rise=0.1,
    )
    table = pd.DataFrame({"zip.code": numbers, "y": [0.5] * len(numbers)})
    # A table of ExampleGen has int64 or float32.
    table = table.astype({n: "float32" for n in table.columns if table[n].dtype == "float64"})
    columns = summarize_columns([tfdv.generate_statistics_from_dataframe(table).datasets[0]])
    base = schema_pb2.Schema()
    return curate_schema(base, "inferred", columns, columns, rules)


@pytest.mark.parametrize("kind", ["categorical", "hashed"])
@pytest.mark.parametrize("code", [16777217.0, -16777217.0])
def test_codes_that_one_fraction_makes_float32_are_refused_with_the_way_out(kind, code):
    with pytest.raises(
        DataError, match=rf"column 'zip\.code' \(kind {kind}\).*16777216.*merges"
    ) as e:
        curate(kind, [code, 0.5])
    assert 'set data.types."zip.code" to int' in e.value.hint
    assert "string" in e.value.hint


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("numeric", [16777217.0, 0.5]),
        ("categorical", [16777217, 8]),
        ("categorical", [16777215.0, 0.5]),
        ("hashed", [float("nan"), 0.5]),
    ],
)
def test_quantities_integers_and_small_numbers_are_taken(kind, numbers):
    assert {feature.name for feature in curate(kind, numbers).feature} == {"zip.code", "y"}
