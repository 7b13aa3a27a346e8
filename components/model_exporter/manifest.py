"""The manifest beside pushed exports: all that a program needs that joins and runs them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from components.model_exporter.formats.network import SavedNetwork
from components.model_exports.results import TRANSFORM
from pipeline.config import ExportConfig, LabelConfig
from pipeline.core.contracts import Signature
from pipeline.core.events import ExportResult
from pipeline.core.text import readable_json

FORMAT = 1
"""The version of the manifest's layout."""
_SUFFIXES = {"onnx": "onnx", "tflite": "tflite"}


def file_name(export: ExportConfig) -> str:
    """Returns the name of an export's file."""
    return f"{export.name}.{_SUFFIXES[export.format]}"


def make_manifest(
    directory: Path,
    network: SavedNetwork,
    raw: Mapping[str, Any],
    label: LabelConfig,
    passed: Sequence[tuple[ExportConfig, ExportResult]],
) -> str:
    """Returns the manifest as JSON.

    Args:
      directory: holds the files of the exports that passed.
      network: the network that they are forms of.
      raw: the raw columns' TensorSpecs by name.
      label: the section `label`.
      passed: the exports that passed, with their results.
    """
    inputs = [_describe(name, spec) for name, spec in network.inputs.items()]
    shape = [None, len(label.classes)] if label.task == "multiclass" else [None]
    content = {
        "format": FORMAT,
        "task": label.task,
        "label": label.column,
        "classes": list(label.classes),
        "transform": {
            "directory": TRANSFORM,
            "signature": Signature.TRANSFORM_FEATURES,
            "inputs": [_describe(name, raw[name]) for name in sorted(raw)],
        },
        "exports": [
            {
                "name": export.name,
                "file": file_name(export),
                "format": export.format,
                "settings": export.model_dump(mode="json"),
                "bytes": result.bytes,
                "sha256": _sha256(directory / file_name(export)),
                "inputs": inputs,
                "outputs": [{"name": network.output, "dtype": "float32", "shape": shape}],
                "metrics": result.metrics,
                "max_difference": result.max_difference,
                "milliseconds": result.milliseconds,
            }
            for export, result in passed
        ],
    }
    return readable_json(content)


def _describe(name: str, spec: Any) -> dict[str, Any]:
    return {"name": name, "dtype": spec.dtype.name, "shape": spec.shape.as_list()}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
