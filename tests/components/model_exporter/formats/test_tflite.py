"""TensorFlow Lite: every family and head, and every way to quantize, run by LiteRT."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_networks import COMBINATIONS, make_batch, make_rows, save

from components.model_exporter.formats import tflite


@pytest.mark.parametrize(("family", "task"), COMBINATIONS)
def test_litert_predicts_what_the_network_predicts(family: str, task: str, tmp_path: Path) -> None:
    network = save(tmp_path / "network", family, task)
    content = tflite.convert(str(tmp_path / "network"), "none", make_rows)
    (tmp_path / "x.tflite").write_bytes(content)
    predict = tflite.load(str(tmp_path / "x.tflite"))
    for rows in (1, 33, 2):
        expected = network.predict(make_batch(rows))
        np.testing.assert_allclose(predict(make_batch(rows)), expected, rtol=1e-4, atol=2e-6)


def test_quantized_files_are_smaller_and_less_exact(tmp_path: Path) -> None:
    # `int8` may abort the process: test_conversion.py runs such a process.
    network = save(tmp_path / "network", "dnn", "binary")
    expected = network.predict(make_batch(200))
    sizes, errors = {}, {}
    for quantize in ("none", "float16", "dynamic"):
        content = tflite.convert(str(tmp_path / "network"), quantize, make_rows)
        (tmp_path / "x.tflite").write_bytes(content)
        answers = tflite.load(str(tmp_path / "x.tflite"))(make_batch(200))
        sizes[quantize], errors[quantize] = len(content), np.abs(answers - expected).max()
    assert sizes["float16"] < sizes["none"]
    assert errors["none"] < 1e-5 < errors["float16"] < 5e-3
    assert errors["none"] <= errors["dynamic"] < 0.1
