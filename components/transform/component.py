"""Transform: TFX's component with its own way to read and write examples."""

from __future__ import annotations

from tfx.components.transform import component
from tfx.dsl.components.base import executor_spec

from components.transform.executor import Executor


class Transform(component.Transform):
    """Analyses the training split, and transforms the examples by a preprocessing function.

    It reads Parquet or TFRecords and always writes Parquet.
    """

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)
