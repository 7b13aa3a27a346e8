"""The curator starts from the schema in git, else the served one, else the inferred one."""

from __future__ import annotations

import pytest
from tensorflow_metadata.proto.v0 import schema_pb2

from components.schema_curator.executor import choose_base
from components.schema_curator.rules import CurationRules
from components.statistics_view.reference import Reference
from pipeline.config import LabelConfig

GIVEN = schema_pb2.Schema(feature=[schema_pb2.Feature(name="given")])
SERVED = schema_pb2.Schema(feature=[schema_pb2.Feature(name="served")])
REFERENCE = Reference("7", SERVED, {})


@pytest.mark.parametrize(
    ("imported", "reference", "expected"),
    [
        (True, REFERENCE, (GIVEN, "git")),
        (False, REFERENCE, (SERVED, "served")),
        (False, None, (GIVEN, "inferred")),
    ],
)
def test_git_precedes_the_served_schema_which_precedes_the_inferred_one(
    imported: bool, reference: Reference | None, expected: tuple[schema_pb2.Schema, str]
) -> None:
    rules = CurationRules(
        kinds={},
        label=LabelConfig(column="y", task="regression"),
        imported=imported,
        reference="served",
        max_domain=100,
        new_category_share=0.01,
        missing_values_rise=0.1,
    )
    assert choose_base(GIVEN, reference, rules) == expected
