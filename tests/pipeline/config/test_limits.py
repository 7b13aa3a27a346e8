"""The section `data.limits`."""

from pathlib import Path

import pytest
from small_config import load

from pipeline.core.errors import ConfigError


def test_default_limits_keep_the_keys_of_earlier_versions(tmp_path: Path) -> None:
    assert "limits" not in load(tmp_path).data.to_json()
    raised = load(tmp_path, "data.limits.row_bytes=9000000").data
    assert '"row_bytes": 9000000' in raised.to_json()
    assert type(raised).model_validate_json(raised.to_json()) == raised


def test_a_row_cannot_be_as_long_as_the_memory(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"data\.limits\.row_bytes: must be less than or equal"):
        load(tmp_path, "data.limits.row_bytes=1000000000000")
