"""Transform: TFX's, but for the way it reads Parquet, and writes it whatever it reads."""

from __future__ import annotations

from tfx.components.transform import component
from tfx.dsl.components.base import executor_spec

from components.transform.executor import Executor


class Transform(component.Transform):
    """Analyses the training split and transforms the examples by a preprocessing function."""

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)
