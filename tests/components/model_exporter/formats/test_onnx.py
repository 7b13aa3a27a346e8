"""ONNX: every family and head, and every way to quantize, run by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_networks import COMBINATIONS, make_batch, make_rows, save

from components.model_exporter.formats import onnx


@pytest.mark.parametrize(("family", "task"), COMBINATIONS)
def test_onnx_runtime_predicts_what_the_network_predicts(
    family: str, task: str, tmp_path: Path
) -> None:
    network = save(tmp_path / "network", family, task)
    (tmp_path / "x.onnx").write_bytes(onnx.convert(str(tmp_path / "network"), "none", make_rows))
    predict = onnx.load(str(tmp_path / "x.onnx"))
    for rows in (1, 33):
        expected = network.predict(make_batch(rows))
        np.testing.assert_allclose(predict(make_batch(rows)), expected, rtol=1e-4, atol=2e-6)
    assert np.ptp(expected) > 0.01, "equal answers for all rows would prove nothing"


def test_quantized_files_are_smaller_and_less_exact(tmp_path: Path) -> None:
    network = save(tmp_path / "network", "dnn", "binary")
    expected = network.predict(make_batch(200))
    sizes, errors = {}, {}
    for quantize in ("none", "float16", "dynamic", "int8"):
        content = onnx.convert(str(tmp_path / "network"), quantize, make_rows)
        (tmp_path / "x.onnx").write_bytes(content)
        answers = onnx.load(str(tmp_path / "x.onnx"))(make_batch(200))
        sizes[quantize], errors[quantize] = len(content), np.abs(answers - expected).max()
    assert sizes["float16"] < sizes["none"]
    assert errors["none"] < 1e-5 < errors["float16"] < 5e-3
    assert 1e-4 < errors["dynamic"] < 0.1
    assert 1e-4 < errors["int8"] < 0.3
