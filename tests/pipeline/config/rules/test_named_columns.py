"""A column that is no column of the table is named by the key that names it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import load_config
from pipeline.config.rules.named_columns import check_named_columns
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_a_column_of_table_and_schema_is_listed_once() -> None:
    config = load_config([TAXI], ["features.foo=numeric"])
    columns = [*config.features, *config.features]
    columns = [name for name in columns if name != "foo"]
    with pytest.raises(ConfigError) as caught:
        check_named_columns(config, columns)
    assert caught.value.hint.count("trip_miles") == 1


@pytest.mark.parametrize(
    ("assignment", "key"),
    [
        ('features."a.b"=numeric', r'features\."a\.b"'),
        ("data.types.absent=string", r"data\.types\.absent"),
        ("evaluation.slices=[[payment_type], [absent]]", r"evaluation\.slices\[2nd\]"),
        (
            "evaluation.thresholds=[{metric: auc, at_least: 0.8, slice_by: [absent]}]",
            r"evaluation\.thresholds\[1st\]\.slice_by",
        ),
        (
            "evaluation.gaps=[{metric: auc, at_most: 0.1, slice_by: [payment_type, absent]}]",
            r"evaluation\.gaps\[1st\]\.slice_by",
        ),
    ],
)
def test_the_key_of_an_unknown_column_is_named(assignment: str, key: str) -> None:
    columns = list(load_config([TAXI]).features)
    config = load_config([TAXI], ["evaluation.slices=[]", assignment])
    with pytest.raises(ConfigError, match=f"^{key}: the table has no column"):
        check_named_columns(config, columns)
