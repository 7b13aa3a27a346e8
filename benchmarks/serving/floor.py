"""The floor: calls of the loaded signature in a bare loop, without a server.

Run as `python -m benchmarks.serving.floor MODEL BODIES SECONDS`; prints JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.serving.rows import to_tensors

_WARM_UP_CALLS = 20


def measure(model: str, bodies: Path, seconds: float) -> dict[str, float]:
    """Returns rows a second, and the milliseconds of a call at the 50th and 99th percentile.

    A call takes NumPy arrays and returns NumPy arrays.
    """
    signature = tf.saved_model.load(model).signatures["serving_default"]
    batches = [
        to_tensors(json.loads(line)["instances"], signature.structured_input_signature[1])
        for line in bodies.read_text(encoding="utf-8").splitlines()
    ]

    def call(columns: dict[str, Any]) -> None:
        outputs = signature(**{name: tf.constant(values) for name, values in columns.items()})
        for value in outputs.values():
            value.numpy()

    for index in range(_WARM_UP_CALLS):
        call(batches[index % len(batches)])
    latencies: list[float] = []
    started = time.perf_counter()
    while (begun := time.perf_counter()) - started < seconds:
        call(batches[len(latencies) % len(batches)])
        latencies.append(time.perf_counter() - begun)
    rows = len(next(iter(batches[0].values())))
    p50, p99 = np.percentile(latencies, (50, 99)) * 1e3
    return {"rows_per_second": rows * len(latencies) / sum(latencies), "p50": p50, "p99": p99}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))))
