"""The rules of the curator know which columns are used and which are closed."""

import pytest

from components.schema_curator.rules import CurationRules
from pipeline.config import LabelConfig

RULES = CurationRules(
    kinds={"pay": "categorical", "note": "text", "id": "hashed", "when": "timestamp"},
    label=LabelConfig(column="y", task="regression"),
    imported=False,
    reference="served",
    max_domain=100,
    new_category_share=0.01,
    missing_values_rise=0.1,
)


def test_features_and_label_are_used() -> None:
    assert RULES.columns() == ["pay", "note", "id", "when", "y"]
    assert RULES.uses("y")
    assert not RULES.uses("batch")


@pytest.mark.parametrize(
    ("column", "is_closed"),
    [("pay", True), ("y", True), ("note", False), ("id", False), ("when", False), ("z", False)],
)
def test_text_identifiers_times_and_unused_columns_are_not_closed(column, is_closed) -> None:
    assert RULES.is_closed(column) == is_closed


def test_the_rules_are_read_back_from_their_json() -> None:
    assert CurationRules.model_validate_json(RULES.to_json()) == RULES
