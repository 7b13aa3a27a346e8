"""Rules between exports, and with the model's family."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.config import ExportConfig, load_config
from pipeline.config.exports.rules import find_broken_exports
from pipeline.core.errors import ConfigError

TAXI = Path(__file__).parents[4] / "configs/taxi.yaml"


def test_the_same_export_twice_is_refused_when_the_configuration_is_loaded() -> None:
    twice = "exports=[{format: onnx}, {format: onnx, may_worsen_by: 0.1}]"
    with pytest.raises(ConfigError, match=r"exports\[2nd\]: is the same as entry 1: onnx"):
        load_config([TAXI], [twice])
    config = load_config([TAXI], ["exports=[{format: onnx}, {format: onnx, prune: 0.5}]"])
    assert [export.name for export in config.exports] == ["onnx", "onnx-prune50"]


def test_a_family_that_is_no_network_is_refused_with_the_reason() -> None:
    exports = [ExportConfig(format="onnx")]
    [broken] = find_broken_exports(exports, ["wide_deep", "trees"])
    assert "trees cannot be exported: boosted trees are no network" in str(broken)
    assert not list(find_broken_exports([], ["trees"]))
    assert not list(find_broken_exports(exports, ["linear", "my_module.family"]))
