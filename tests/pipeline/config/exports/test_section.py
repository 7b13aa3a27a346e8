"""The section `exports`."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.config import ExportConfig


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"format": "onnx"}, "onnx"),
        ({"format": "tflite", "quantize": "float16"}, "tflite-float16"),
        (
            {"format": "tflite", "quantize": "int8", "quantization_aware": True, "prune": 0.85},
            "tflite-int8-aware-prune85",
        ),
    ],
)
def test_the_name_tells_the_settings_that_change_the_file(
    settings: dict[str, Any], name: str
) -> None:
    assert ExportConfig.model_validate(settings).name == name


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "tensorrt"}, "trtexec --onnx=FILE"),
        ({"format": "onnx", "quantization_aware": True}, "set quantize to dynamic or int8"),
        (
            {"format": "tflite", "quantize": "float16", "quantization_aware": True},
            "float16 does not do",
        ),
        ({"format": "onnx", "prune": 1.0}, "less than 1"),
        ({"format": "onnx", "may_worsen_by": -0.1}, "greater than or equal to 0"),
        ({"format": "torch"}, "'onnx' or 'tflite'"),
    ],
)
def test_combinations_without_sense_are_refused_with_the_way_out(
    settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValidationError, match=message):
        ExportConfig.model_validate(settings)
