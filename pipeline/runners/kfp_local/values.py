"""Converts parameter values and metadata as Kubeflow does, including the information it loses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pipeline.core.errors import PipelineError

_TYPES: dict[str, tuple[type, ...]] = {
    "NUMBER_INTEGER": (int, float),
    "NUMBER_DOUBLE": (int, float),
    "BOOLEAN": (bool,),
    "LIST": (list,),
    "STRUCT": (dict,),
}


def to_stored_metadata(metadata: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Returns an artifact's metadata as read back from ML Metadata.

    Booleans become numbers; lists and structs come back one level deeper.

    Raises:
      PipelineError: a value is null, which fails the task on Kubeflow.
    """
    stored = {key: _to_stored(key, value) for key, value in metadata.items()}
    return {"display_name": name, "store_session_info": "{}", **stored}


def _to_stored(key: str, value: Any) -> Any:
    if value is None:
        raise PipelineError(f"metadata {key}: null is not supported by Kubeflow Pipelines")
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list):
        return {"list": value}
    return {"struct": value} if isinstance(value, dict) else value


def check_kind(kind: str) -> None:
    """Raises ValueError if parameters cannot have this type."""
    if kind != "STRING" and kind not in _TYPES:
        raise ValueError(f"{kind} is not a parameter type")


def check_input(name: str, kind: str, value: Any) -> Any:
    """Returns the value for an input parameter of the type `kind`.

    Values for a STRING parameter are converted to text. No other conversion takes place.

    Raises:
      PipelineError: the value has another type.
    """
    if kind == "STRING":
        return value if isinstance(value, str) else to_text(value)
    fits = isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "BOOLEAN")
    if not fits:
        raise PipelineError(f"input parameter {name}: expected {kind}, got {value!r}")
    return value


def to_text(value: Any) -> str:
    """Returns the value as it appears in a command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, separators=(",", ":"))


def parse_output(text: str, kind: str) -> Any:
    """Returns the value that a task wrote to the file of an output parameter.

    Raises:
      ValueError: the text is not JSON.
      PipelineError: the value does not have the type `kind`.
    """
    if kind == "STRING":
        return text
    value = json.loads(text.strip())
    return check_input("", kind, value)
