"""Keys of tables are refused where records are read, unless batch predictions read tables."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.config import DataConfig
from pipeline.config.rules.record_sources import find_unread_by_records
from pipeline.config.sections.serving import PredictionConfig

TABLES = {"types": {"zip": "string"}, "csv": {"delimiter": ";"}, "limits": {"columns": 10}}
RECORDS = [{"source": "tfrecord", "path": "a"}, {"source": "bigquery", "query": "SELECT 1"}]
PREDICTION = PredictionConfig(input=("a.csv",), output="b")


def find_unread(data: dict[str, Any], prediction: PredictionConfig | None = None) -> list[str]:
    broken = find_unread_by_records(DataConfig.model_validate(data), prediction)
    return [str(error.key[-1]) for error in broken]


@pytest.mark.parametrize("source", RECORDS, ids=lambda source: source["source"])
def test_each_key_of_a_table_is_refused_for_records(source: dict[str, Any]) -> None:
    assert find_unread(source) == []
    assert find_unread({**source, **TABLES}) == list(TABLES)
    for key, value in TABLES.items():
        assert find_unread({**source, key: value}) == [key]
    assert find_unread({**source, "split": {"seed": 3}}) == []


@pytest.mark.parametrize("source", ["csv", "parquet"])
def test_tables_take_all_keys(source: str) -> None:
    assert find_unread({"source": source, "path": "a", **TABLES}) == []


def test_predictions_read_tables_with_a_model_of_records() -> None:
    assert find_unread({**RECORDS[0], **TABLES}, PREDICTION) == []
