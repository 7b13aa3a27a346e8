"""The main module of an export's process: converts the network, runs the file and measures it.

A converter, or a file that it wrote, may abort the whole process. That is an answer about the
export, and must not end the run.
"""

from __future__ import annotations

import dataclasses
import json
import os
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from components.model_exporter.batches import Array, Batch, read_batches
from components.model_exporter.measuring import measure_milliseconds
from components.supervision.worker import run_supervised
from pipeline.core.environment import EVENTS_VARIABLE
from pipeline.core.files import write_text_atomically
from pipeline.core.imports import quick_imports

SCORES = "scores.npy"
"""The file with the predictions of all rows, float32 [rows] or [rows, classes]."""
OUTCOME = "outcome.json"
"""The file with an `Outcome`."""
_REPRESENTATIVE_ROWS = 200
"""Rows that the ranges of activations come from. 100 to 500 is what the converters' guides use."""


@dataclass(frozen=True)
class Outcome:
    """What the process measured."""

    milliseconds: Mapping[str, float] = field(default_factory=dict)
    """The median time of a call, by the rows of a batch."""
    zeros: float | None = None
    """The share of the prunable weights that are 0; None if the network was not pruned."""


@dataclass(frozen=True)
class ExportJob:
    """The arguments of one export. The process gets them as a line of JSON."""

    format: str
    quantize: str
    network: str
    """The SavedModel of the network."""
    batches: str
    """The directory of the evaluated rows."""
    file: str
    """The file to write."""
    directory: str
    """Where the process writes SCORES and OUTCOME."""
    prune: float | None
    """The share of the weights to set to 0; None for no pruning."""
    quantization_aware: bool
    training_code: str
    """The module with `sample_training_rows` and `train_further`; see trainer_module/exporting.py.
    """
    inputs: Mapping[str, Any]
    """What the model was trained from."""

    def to_line(self) -> str:
        """Returns the line of JSON for the process."""
        return json.dumps(dataclasses.asdict(self))

    def call(self, function: str, *arguments: Any) -> Any:
        """Returns the answer of a function of the trainer's code."""
        with quick_imports():
            resolved = pkgutil.resolve_name(f"{self.training_code}.{function}")
        return resolved(self.inputs, *arguments)


def run_export(line: str) -> None:
    """Runs the export of an `ExportJob` line."""
    job = ExportJob(**json.loads(line))
    # The progress of further training is not that of the run's training.
    os.environ.pop(EVENTS_VARIABLE, None)
    network, zeros = _train_further(job)
    convert, load = _choose_format(job.format)
    content = convert(network, job.quantize, lambda: _sample_rows(job))
    Path(job.file).write_bytes(content)
    predict = load(job.file)
    scores = [predict(batch) for batch in read_batches(job.batches)]
    np.save(os.path.join(job.directory, SCORES), np.concatenate(scores))
    outcome = Outcome(measure_milliseconds(predict, next(read_batches(job.batches))), zeros)
    text = json.dumps(dataclasses.asdict(outcome))
    write_text_atomically(os.path.join(job.directory, OUTCOME), text, durable=False)


def _train_further(job: ExportJob) -> tuple[str, float | None]:
    """Returns the SavedModel of the network to convert, and its share of zeros if pruned."""
    if job.prune is None and not job.quantization_aware:
        return job.network, None
    directory = os.path.join(job.directory, "network")
    zeros = job.call("train_further", job.prune, job.quantization_aware, directory)
    return directory, zeros


def _choose_format(
    name: str,
) -> tuple[Callable[..., bytes], Callable[[str], Callable[[Batch], Array]]]:
    """Returns the functions of a format; imports TensorFlow and its converter late."""
    with quick_imports():
        if name == "onnx":
            from components.model_exporter.formats import onnx

            return onnx.convert, onnx.load
        from components.model_exporter.formats import tflite

        return tflite.convert, tflite.load


def _sample_rows(job: ExportJob) -> Iterator[Batch]:
    """Yields rows of the training split, one by one."""
    columns = job.call("sample_training_rows", _REPRESENTATIVE_ROWS)
    for row in range(len(next(iter(columns.values())))):
        yield {name: values[row : row + 1] for name, values in columns.items()}


if __name__ == "__main__":
    run_supervised(run_export)
