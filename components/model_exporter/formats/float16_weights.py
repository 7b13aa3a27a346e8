"""Halves an ONNX file: large weights are stored as float16, and computed with as float32.

This is what TensorFlow Lite's float16 does, too. ONNX Runtime casts the weights once, when it loads
the file, so the answers take no longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LEAST_VALUES = 64
"""A smaller weight would save less than its operation `Cast` takes."""


def store_as_float16(graph: Any) -> None:
    """Stores the float32 weights of an ONNX GraphProto as float16, each with a Cast behind it."""
    from onnx import TensorProto, helper, numpy_helper

    large = [
        weight
        for weight in graph.initializer
        if weight.data_type == TensorProto.FLOAT and np.prod(weight.dims) >= _LEAST_VALUES
    ]
    limits = np.finfo(np.float16)
    casts = []
    for weight in large:
        values = numpy_helper.to_array(weight).clip(limits.min, limits.max)
        name, stored = weight.name, f"{weight.name}__float16"
        weight.CopyFrom(numpy_helper.from_array(values.astype(np.float16), stored))
        casts.append(helper.make_node("Cast", [stored], [name], f"{name}__cast", to=1))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
