"""The packages of the extra `export`, which only runs with exports need. Imports nothing heavy."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version

from pipeline.config import ExportConfig
from pipeline.core.errors import ConfigError

_PACKAGES = {
    "onnx": ("tf2onnx", "onnxruntime"),
    "tflite": ("ai_edge_litert",),
}
_INSTALL = "`make setup`, or `pip install 'WHEEL[export]'` with the wheel of the release"


def require_export_packages(exports: Sequence[ExportConfig]) -> None:
    """Checks that the packages of the configured formats are installed.

    Raises:
      ConfigError: a package is missing.
    """
    for export in exports:
        missing = [n for n in _PACKAGES[export.format] if importlib.util.find_spec(n) is None]
        if missing:
            raise ConfigError(
                f"exports: format {export.format} needs the package "
                f"{' and '.join(n.replace('_', '-') for n in missing)}, which is not installed",
                f"install the extra `export` by {_INSTALL}, or remove the section `exports`",
            )


def describe_export_packages(exports: Sequence[ExportConfig]) -> list[str]:
    """Returns the packages of the configured formats with their versions, such as `tf2onnx 1.17.0`.

    A package may be absent where a pipeline is only compiled: its version is then empty.
    """
    names = sorted({name for export in exports for name in _PACKAGES[export.format]})
    return [f"{name} {_find_version(name)}" for name in names]


def _find_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
