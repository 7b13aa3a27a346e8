"""Weights of ONNX files in float16."""

from __future__ import annotations

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from components.model_exporter.formats.float16_weights import store_as_float16


def test_large_weights_are_stored_as_float16_and_computed_with_as_float32() -> None:
    weight = np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32)
    weight[0, 0] = 1e9
    small = np.full(16, 0.1, np.float32)
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 16])],
        [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(small, "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    store_as_float16(model.graph)
    kinds = {w.name: w.data_type for w in model.graph.initializer}
    assert kinds == {"w__float16": TensorProto.FLOAT16, "b": TensorProto.FLOAT}
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    x = np.eye(8, dtype=np.float32)
    [y] = session.run(None, {"x": x})
    limit = np.finfo(np.float16)
    expected = weight.clip(limit.min, limit.max).astype(np.float16).astype(np.float32) + small
    np.testing.assert_allclose(y, expected, rtol=1e-6)
