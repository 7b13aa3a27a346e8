"""The project's TFX components, one folder each, and the folders that several components share.

The DAG, the runners and onboarding import from here; a component imports no other component.

Importing this package imports no component. The artifact types are attributes of the package
because Kubeflow Pipelines names a custom type NAMESPACE.CLASS and imports the namespace to find the
class.
"""

from __future__ import annotations

import importlib
from typing import Any

_ARTIFACTS = {
    "BatchPredictions": "components.batch_predictor.artifacts",
    "DataFindings": "components.findings.artifacts",
    "PredictionTable": "components.predictions.artifacts",
    "RunFigures": "components.run_figures.artifacts",
    "ServedModelRecord": "components.served_model.artifacts",
}


def __getattr__(name: str) -> Any:
    if name not in _ARTIFACTS:
        raise AttributeError(f"module 'components' has no attribute '{name}'")
    return getattr(importlib.import_module(_ARTIFACTS[name]), name)
