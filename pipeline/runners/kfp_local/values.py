"""Values as they come out of Kubeflow's own conversions, with their losses."""

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
    """An artifact's metadata after it has been in ML Metadata.

    Truth values come back as numbers, lists and structs one level deeper, and a null fails the
    task.
    """
    stored = {key: _stored(key, value) for key, value in metadata.items()}
    return {"display_name": name, "store_session_info": "{}", **stored}


def _stored(key: str, value: Any) -> Any:
    if value is None:
        raise PipelineError(f"metadata {key}: null is not supported by Kubeflow Pipelines")
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, list):
        return {"list": value}
    return {"struct": value} if isinstance(value, dict) else value


def check_kind(kind: str) -> None:
    """Raises ValueError if a parameter can be of no such type."""
    if kind != "STRING" and kind not in _TYPES:
        raise ValueError(f"{kind} is no type of a parameter")


def check_input(name: str, kind: str, value: Any) -> Any:
    """A value for an input parameter of a type; only text is made of others.

    Raises:
      PipelineError: it is of another type.
    """
    if kind == "STRING":
        return value if isinstance(value, str) else to_text(value)
    fits = isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "BOOLEAN")
    if not fits:
        raise PipelineError(f"input parameter {name}: expected {kind}, got {value!r}")
    return value


def to_text(value: Any) -> str:
    """The value as it stands in a command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, separators=(",", ":"))


def parse_output(text: str, kind: str) -> Any:
    """What a task left in the file of an output parameter.

    Raises:
      ValueError: it is not of the type.
    """
    if kind == "STRING":
        return text
    value = json.loads(text.strip())
    return check_input("", kind, value)
