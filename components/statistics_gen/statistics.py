"""Computes TFDV's statistics of the Parquet files of one split in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow_data_validation as tfdv
from apache_beam.io.filesystems import FileSystems
from tensorflow_data_validation.statistics import stats_impl
from tensorflow_data_validation.statistics.generators.stats_generator import CombinerStatsGenerator
from tensorflow_data_validation.utils import schema_util
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx_bsl.statistics import merge_util

from components.statistics_gen.value_counts import ValueCounts
from pipeline.core.threads import read_ahead

# The size of the row groups that ExampleGen writes.
_BATCH_ROWS = 1 << 15
_TEXTS = pa.large_list(pa.large_binary())
_INTEGERS = pa.large_list(pa.int64())


def compute_statistics(
    files: Sequence[str], options: tfdv.StatsOptions
) -> statistics_pb2.DatasetFeatureStatisticsList:
    """Returns the statistics that `tfdv.GenerateStatistics` computes of all files together.

    Args:
      options: TFDV's default options, with or without a schema that marks categorical integers.
    """
    # The generators that are no combiners count values on Beam. ValueCounts takes their place.
    combiners = [
        generator
        for generator in stats_impl.get_generators(options)
        if isinstance(generator, CombinerStatsGenerator)
    ]
    accumulators = [combiner.create_accumulator() for combiner in combiners]
    categories = _categories(options)
    counted: dict[str, ValueCounts] = {}
    for batch in read_ahead(_batches(files)):
        for index, combiner in enumerate(combiners):
            accumulators[index] = combiner.add_input(accumulators[index], batch)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.type == _TEXTS or (column.type == _INTEGERS and name in categories):
                counted.setdefault(name, ValueCounts()).add(column)
    found = [
        combiner.extract_output(accumulator)
        for combiner, accumulator in zip(combiners, accumulators, strict=True)
    ]
    found.append(_top_values(counted, options))
    return merge_util.merge_dataset_feature_statistics(found)


def _categories(options: tfdv.StatsOptions) -> set[str]:
    if options.schema is None:
        return set()
    paths = schema_util.get_categorical_numeric_feature_types(options.schema)
    return {path.steps()[0] for path in paths}


def _top_values(
    columns: dict[str, ValueCounts], options: tfdv.StatsOptions
) -> statistics_pb2.DatasetFeatureStatistics:
    counted = statistics_pb2.DatasetFeatureStatistics()
    for name, counts in columns.items():
        if counts.is_empty():
            continue
        statistics = counts.to_proto(
            name,
            options.num_top_values,
            options.num_rank_histogram_buckets,
            options.frequency_threshold,
        )
        counted.features.append(statistics)
    return counted


def _batches(files: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for file in files:
        with FileSystems.open(file) as opened:
            yield from pq.ParquetFile(opened).iter_batches(_BATCH_ROWS)
