"""Writes predictions as JSON, in the format of TensorFlow Serving's REST API.

float32 numbers have the fewest digits that tell them from their neighbours, as in `0.93`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from serving.rows.values import Array

_BYTES_SUFFIX = "_bytes"
"""Outputs whose name ends so are binary: clients get them as base64 (TensorFlow Serving's rule)."""


def write_predictions(outputs: Mapping[str, Array], *, is_row_format: bool) -> bytes:
    """Returns the body of the response.

    Args:
      outputs: arrays [rows] or [rows, width] of float32, int64, or objects that are bytes.
      is_row_format: whether each row gets an object (`predictions`), or each output a list
        (`outputs`). A single output stands without its name.
    """
    is_finite = all(np.isfinite(a).all() for a in outputs.values() if a.dtype.kind == "f")
    content = _arrange(
        {name: _to_list(name, array, is_finite) for name, array in outputs.items()}, is_row_format
    )
    if is_finite:
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
    # NaN and Infinity, which orjson would write as null.
    return json.dumps(content).encode()


def _arrange(values: Mapping[str, Sequence[Any]], is_row_format: bool) -> dict[str, Any]:
    if len(values) == 1:
        (single,) = values.values()
        return {"predictions" if is_row_format else "outputs": single}
    if not is_row_format:
        return {"outputs": values}
    rows = zip(*values.values(), strict=True)
    return {"predictions": [dict(zip(values, row, strict=True)) for row in rows]}


def _to_list(name: str, array: Array, keep_scalars: bool) -> Sequence[Any]:
    """Returns a value for each row; with `keep_scalars`, numbers stay NumPy's."""
    if array.dtype == np.object_:
        decode = _to_base64 if name.endswith(_BYTES_SUFFIX) else _to_text
        return [_decode(value, decode) for value in array.tolist()]
    return list(np.ascontiguousarray(array)) if keep_scalars else array.tolist()


def _decode(value: Any, decode: Callable[[bytes], Any]) -> Any:
    return [decode(item) for item in value] if isinstance(value, list) else decode(value)


def _to_text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _to_base64(value: bytes) -> dict[str, str]:
    return {"b64": base64.b64encode(value).decode()}
