"""SchemaCurator keeps only the settings that it reads."""

from typing import Any

from tfx import types
from tfx.types import standard_artifacts

from components.schema_curator.component import SchemaCurator
from components.served_model.artifacts import ServedModelRecord
from pipeline.config import LabelConfig, SchemaConfig, ValidationConfig

LABEL = LabelConfig(column="y", task="regression")


def rules_of(**validation: Any) -> str:
    component = SchemaCurator(
        schema=types.Channel(type=standard_artifacts.Schema),
        statistics=types.Channel(type=standard_artifacts.ExampleStatistics),
        reference=types.Channel(type=ServedModelRecord),
        kinds={"fare": "numeric"},
        label=LABEL,
        schema_config=SchemaConfig(),
        validation=ValidationConfig(**validation),
    )
    rules: str = component.exec_properties["rules"]
    return rules


def test_a_setting_that_the_curator_does_not_read_leaves_its_cache_key() -> None:
    assert rules_of(numeric_drift=0.5) == rules_of()


def test_a_setting_that_the_curator_reads_changes_its_cache_key() -> None:
    assert rules_of(new_category_share=0.5) != rules_of()
