"""The TFX components this project adds. Importing this imports none of them.

The artifact types are found here because Kubeflow Pipelines knows an own type as NAMESPACE.CLASS
and imports the namespace to get at the class.
"""

from __future__ import annotations

import importlib
from typing import Any

_ARTIFACTS = {
    "DataFindings": "components.anomaly_gate.artifacts",
    "ServedModelRecord": "components.served_model.artifacts",
}


def __getattr__(name: str) -> Any:
    if name not in _ARTIFACTS:
        raise AttributeError(f"module 'components' has no attribute '{name}'")
    return getattr(importlib.import_module(_ARTIFACTS[name]), name)
