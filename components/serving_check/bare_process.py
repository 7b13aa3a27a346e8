"""The program that loads a SavedModel and answers, with TensorFlow and nothing of this project.

It stands for the server of a stranger: `python -I bare_process.py DESCRIPTOR [MODULE ...]` runs it.
So it imports no other file of the project, and the given modules cannot be imported at all.

Standard input brings commands, one JSON object a line, from `bare_model.py` beside this file. Each
reply goes to the descriptor: a line of JSON, then an array in NumPy's format, as long as the key
`bytes` of the line says. The program ends when standard input closes, also in the middle of a call.
"""

from __future__ import annotations

import io
import json
import os
import queue
import resource
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_DTYPES = {"float32": np.float32, "int64": np.int64, "string": np.object_}
_WARM_UP_CALLS = 3
"""Calls before a measurement: the first calls of a graph are slow."""
_INIT_NAME = "__saved_model_init_op"
"""A signature that loads tables; it belongs to the format and takes no requests."""
_STATUS = "/proc/self/status"
_PEAK = "VmHWM:"


class Model:
    """A SavedModel in a TensorFlow 1 session, as TensorFlow Serving and this project's server load
    one."""

    def __init__(self, directory: str) -> None:
        import tensorflow as tf

        graph = tf.Graph()
        # The process of the run may hold a part of the GPU's memory.
        growth = tf.compat.v1.GPUOptions(allow_growth=True)
        options = tf.compat.v1.ConfigProto(gpu_options=growth)
        self._session = tf.compat.v1.Session(graph=graph, config=options)
        with graph.as_default():
            loaded = tf.compat.v1.saved_model.load(self._session, ["serve"], directory)
        self._definitions = {
            name: definition
            for name, definition in loaded.signature_def.items()
            if name != _INIT_NAME
        }
        self._calls = {n: self._make_call(graph, d) for n, d in self._definitions.items()}

    def _make_call(self, graph: Any, definition: Any) -> Callable[..., Any]:
        inputs, outputs = (
            [graph.get_tensor_by_name(info.name) for _, info in sorted(tensors.items())]
            for tensors in (definition.inputs, definition.outputs)
        )
        call: Callable[..., Any] = self._session.make_callable(outputs, inputs)
        return call

    def describe(self) -> dict[str, Any]:
        """Returns the signatures: for each input and output its type and its shape."""
        return {
            name: {
                "inputs": {k: _describe(info) for k, info in definition.inputs.items()},
                "outputs": {k: _describe(info) for k, info in definition.outputs.items()},
            }
            for name, definition in self._definitions.items()
        }

    def predict(self, command: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Returns the asked output of one call of a signature."""
        inputs = _read_inputs(command)
        rows = command["rows"]
        feed = [_take(array, 0, rows) for _, array in sorted(inputs.items())]
        outputs = self._calls[command["signature"]](*feed)
        names = sorted(self._definitions[command["signature"]].outputs)
        found: np.ndarray[Any, Any] = dict(zip(names, outputs, strict=True))[command["output"]]
        return found

    def measure(self, command: Mapping[str, Any]) -> np.ndarray[Any, Any]:
        """Returns the milliseconds of calls with `rows` rows each.

        There are `calls` of them, or fewer if they take more than `seconds`.
        """
        call, inputs = self._calls[command["signature"]], sorted(_read_inputs(command).items())
        milliseconds: list[float] = []
        deadline = time.monotonic() + command["seconds"]
        for number in range(-_WARM_UP_CALLS, command["calls"]):
            feed = [_take(array, number * command["rows"], command["rows"]) for _, array in inputs]
            started = time.perf_counter()
            call(*feed)
            if number >= 0:
                milliseconds.append((time.perf_counter() - started) * 1000)
                if time.monotonic() > deadline:
                    break
        return np.array(milliseconds)


def _describe(info: Any) -> dict[str, Any]:
    import tensorflow as tf

    shape = tf.TensorShape(info.tensor_shape)
    dims = None if shape.rank is None else shape.as_list()
    return {"dtype": tf.dtypes.as_dtype(info.dtype).name, "shape": dims}


def _read_inputs(command: Mapping[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    return {name: _read_array(**given) for name, given in command["inputs"].items()}


def _read_array(dtype: str, values: list[Any], is_column: bool) -> np.ndarray[Any, Any]:
    """Returns the values as an array [n], of a column as [n, 1]; bytes come as Latin-1."""
    if dtype == "string":
        values = [value.encode("latin-1") for value in values]
    array = np.array(values, _DTYPES[dtype])
    return array[:, np.newaxis] if is_column else array


def _take(array: np.ndarray[Any, Any], first: int, rows: int) -> np.ndarray[Any, Any]:
    """Returns `rows` rows from `first` on; after the last row comes the first one again."""
    return array.take(np.arange(first, first + rows), axis=0, mode="wrap") if rows else array[:0]


def _measure_peak_memory() -> int:
    """Returns the most memory of this process so far, in bytes."""
    # `getrusage` would also count what the parent had before this program began.
    if os.path.exists(_STATUS):
        with open(_STATUS, encoding="ascii", errors="replace") as file:
            [line] = [line for line in file if line.startswith(_PEAK)]
        return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _read_commands(commands: queue.SimpleQueue[bytes]) -> None:
    """Hands the commands over, and ends the process when its parent is gone."""
    for line in sys.stdin.buffer:
        commands.put(line)
    os._exit(0)


class _Program:
    """The model that was loaded last."""

    def __init__(self) -> None:
        self._model: Model | None = None

    def answer(self, command: Mapping[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Returns the reply to a command, and an array in NumPy's format or no bytes."""
        reply: dict[str, Any] = {}
        packed = io.BytesIO()
        started = time.perf_counter()
        try:
            if command["do"] == "load":
                self._model = Model(command["directory"])
                reply["signatures"] = self._model.describe()
            else:
                assert self._model is not None
                answer = self._model.predict if command["do"] == "predict" else self._model.measure
                np.save(packed, answer(command), allow_pickle=False)
        except Exception as error:
            reply["error"] = f"{type(error).__name__}: {error}"
        reply["seconds"] = time.perf_counter() - started
        reply["peak_bytes"] = _measure_peak_memory()
        return reply, packed.getvalue()


def main(descriptor: str, *absent: str) -> None:
    """Answers commands until standard input closes."""
    # Python takes None for a module that cannot be imported.
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(absent))
    commands: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_commands, args=(commands,), daemon=True).start()
    import tensorflow  # noqa: F401  (before the first command comes)

    program = _Program()
    with os.fdopen(int(descriptor), "wb") as replies:
        while True:
            reply, array = program.answer(json.loads(commands.get()))
            replies.write(json.dumps({**reply, "bytes": len(array)}).encode() + b"\n" + array)
            replies.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
