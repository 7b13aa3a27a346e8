"""StatisticsGen: TFX's, but for the way it passes rows to TFDV, and for codes of categories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.components.statistics_gen import component
from tfx.dsl.components.base import executor_spec

from components.statistics_gen.executor import Executor


class StatisticsGen(component.StatisticsGen):
    """Computes statistics of every split, with TFDV's default options but for one.

    Args:
      examples: the splits.
      categories: the columns whose whole numbers are codes, of which each is counted: a mean of
        codes says nothing, and two that are swapped do not move it.
    """

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)

    def __init__(self, examples: Any, categories: Iterable[str] = ()) -> None:
        super().__init__(examples=examples, stats_options=build_stats_options(categories))


def build_stats_options(categories: Iterable[str]) -> tfdv.StatsOptions:
    """TFDV's options; columns in `categories` that hold no whole numbers are as all others."""
    schema = schema_pb2.Schema()
    for name in categories:
        feature = schema.feature.add(name=name, type=schema_pb2.INT)
        feature.int_domain.is_categorical = True
    return tfdv.StatsOptions(schema=schema if schema.feature else None)
