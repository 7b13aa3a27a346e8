"""StatisticsGen: TFX's, but for the way it passes rows to TFDV."""

from __future__ import annotations

from typing import Any

from tfx.components.statistics_gen import component
from tfx.dsl.components.base import executor_spec

from components.statistics_gen.executor import Executor


class StatisticsGen(component.StatisticsGen):
    """Computes statistics of every split, with TFDV's default options and no others."""

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)

    def __init__(self, examples: Any) -> None:
        super().__init__(examples=examples)
