"""StatisticsGen of TFX with another executor, which also counts integer codes of categories."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import tensorflow_data_validation as tfdv
from tensorflow_metadata.proto.v0 import schema_pb2
from tfx.components.statistics_gen import component
from tfx.dsl.components.base import executor_spec

from components.statistics_gen.executor import Executor


class StatisticsGen(component.StatisticsGen):
    """Computes the statistics of every split with TFDV's default options.

    Args:
      examples: the splits.
      categories: columns whose integers are codes. Each code is counted like a text: the mean of
        codes says nothing, and does not show that two codes were swapped.
    """

    EXECUTOR_SPEC = executor_spec.BeamExecutorSpec(Executor)

    def __init__(self, examples: Any, categories: Iterable[str] = ()) -> None:
        super().__init__(examples=examples, stats_options=build_stats_options(categories))


def build_stats_options(categories: Iterable[str]) -> tfdv.StatsOptions:
    """Returns TFDV's options that count the codes of `categories`; other types are not affected."""
    schema = schema_pb2.Schema()
    for name in categories:
        feature = schema.feature.add(name=name, type=schema_pb2.INT)
        feature.int_domain.is_categorical = True
    return tfdv.StatsOptions(schema=schema if schema.feature else None)
