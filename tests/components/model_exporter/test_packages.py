"""The packages of the extra."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import version
from typing import Any

import pytest

from components.model_exporter.packages import (
    describe_export_packages,
    require_export_packages,
)
from pipeline.config import ExportConfig
from pipeline.core.errors import ConfigError


def test_installed_packages_pass() -> None:
    require_export_packages([ExportConfig(format="onnx"), ExportConfig(format="tflite")])


@pytest.mark.parametrize(
    ("format_", "package", "named"),
    [("onnx", "tf2onnx", "tf2onnx"), ("tflite", "ai_edge_litert", "ai-edge-litert")],
)
def test_the_error_says_how_to_install_a_missing_package(
    format_: Any, package: str, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == package else find(name)
    )
    with pytest.raises(ConfigError, match=f"format {format_} needs the package {named}") as raised:
        require_export_packages([ExportConfig(format=format_)])
    assert "pip install 'WHEEL[export]'" in raised.value.hint
    require_export_packages([])


def test_packages_of_the_configured_formats_are_described_with_their_versions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    onnx, tflite = ExportConfig(format="onnx"), ExportConfig(format="tflite")
    assert describe_export_packages([]) == []
    found = [f"onnxruntime {version('onnxruntime')}", f"tf2onnx {version('tf2onnx')}"]
    assert describe_export_packages([onnx, onnx]) == found
    assert len(describe_export_packages([tflite, onnx])) == 3
    # As where a pipeline is only compiled.
    monkeypatch.setattr(sys, "path", [])
    assert describe_export_packages([tflite]) == ["ai_edge_litert "]
