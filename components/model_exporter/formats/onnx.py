"""ONNX: converts with tf2onnx, quantizes and runs with ONNX Runtime."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import tensorflow as tf

from components.model_exporter.batches import Array, Batch
from components.model_exporter.formats.network import SavedNetwork

_OPSET = 17
"""ONNX Runtime runs it since 1.12, of 2022; later ones add nothing that these networks use."""

_QUANTIZED = ("MatMul", "Gemm", "Gather")
"""The operations that hold the weights. Of the others, ONNX Runtime refuses some: the mean of a
text without tokens divides 0 by 0 on the way, which is no range."""


def convert(network: str, quantize: str, rows: Callable[[], Iterable[Batch]]) -> bytes:
    """Returns the network in `network`, a SavedModel, as a file of ONNX; see tflite.convert."""
    model = _convert_floats(SavedNetwork(network))
    if quantize == "none":
        return bytes(model.SerializeToString())
    if quantize == "float16":
        from components.model_exporter.formats.float16_weights import store_as_float16

        store_as_float16(model.graph)
        return bytes(model.SerializeToString())
    with tempfile.TemporaryDirectory(prefix="onnx-") as scratch:
        source, target = Path(scratch, "float.onnx"), Path(scratch, "int8.onnx")
        source.write_bytes(model.SerializeToString())
        _quantize(str(source), str(target), quantize, rows)
        return target.read_bytes()


def _convert_floats(network: SavedNetwork) -> Any:
    """Returns the network as an ONNX ModelProto."""
    from tf2onnx import convert

    names = list(network.inputs)

    def call(*tensors: tf.Tensor) -> Any:
        return network.function(**dict(zip(names, tensors, strict=True)))

    specs = [tf.TensorSpec(s.shape, s.dtype, name) for name, s in network.inputs.items()]
    model, _ = convert.from_function(
        tf.function(call, input_signature=specs), input_signature=specs, opset=_OPSET
    )
    return model


def _quantize(source: str, target: str, quantize: str, rows: Callable[[], Iterable[Batch]]) -> None:
    from onnxruntime import quantization

    if quantize == "dynamic":
        quantization.quantize_dynamic(source, target, weight_type=quantization.QuantType.QInt8)
        return
    prepared = f"{os.path.splitext(target)[0]}-prepared.onnx"
    # Its symbolic shape inference fails on reshapes of a batch of unknown size.
    quantization.quant_pre_process(source, prepared, skip_symbolic_shape=True)
    quantization.quantize_static(
        prepared, target, _Reader(rows()), op_types_to_quantize=list(_QUANTIZED)
    )


class _Reader:
    """Passes rows to ONNX Runtime's calibration, one by one."""

    def __init__(self, rows: Iterable[Batch]) -> None:
        self._rows: Iterator[Batch] = iter(rows)

    def get_next(self) -> Batch | None:
        return next(self._rows, None)


def load(path: str) -> Callable[[Batch], Array]:
    """Returns the function of a file: it takes transformed features, and returns predictions."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [node.name for node in session.get_inputs()]

    def predict(batch: Batch) -> Any:
        [predictions] = session.run(None, {name: batch[name] for name in names})
        return predictions

    return predict
