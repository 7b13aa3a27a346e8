"""TFDV's statistics of Parquet examples, of one split in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow_data_validation as tfdv
from apache_beam.io.filesystems import FileSystems
from tensorflow_data_validation.statistics import stats_impl
from tensorflow_data_validation.statistics.generators.stats_generator import CombinerStatsGenerator
from tensorflow_metadata.proto.v0 import statistics_pb2
from tfx_bsl.statistics import merge_util

from components.read_ahead import read_ahead
from components.statistics_gen.value_counts import ValueCounts

_BATCH_ROWS = 1 << 15


def statistics_of(files: Sequence[str]) -> statistics_pb2.DatasetFeatureStatisticsList:
    """What `tfdv.GenerateStatistics` with its default options finds in the files, all together."""
    options = tfdv.StatsOptions()
    # The others count values, by distributing them.
    combiners = [
        generator
        for generator in stats_impl.get_generators(options)
        if isinstance(generator, CombinerStatsGenerator)
    ]
    accumulators = [combiner.create_accumulator() for combiner in combiners]
    texts: dict[str, ValueCounts] = {}
    for batch in read_ahead(_batches(files)):
        for index, combiner in enumerate(combiners):
            accumulators[index] = combiner.add_input(accumulators[index], batch)
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if column.type == pa.large_list(pa.large_binary()):
                texts.setdefault(name, ValueCounts()).add(column)
    found = [
        combiner.extract_output(accumulator)
        for combiner, accumulator in zip(combiners, accumulators, strict=True)
    ]
    found.append(_top_values(texts, options))
    return merge_util.merge_dataset_feature_statistics(found)


def _top_values(
    texts: dict[str, ValueCounts], options: tfdv.StatsOptions
) -> statistics_pb2.DatasetFeatureStatistics:
    counted = statistics_pb2.DatasetFeatureStatistics()
    for name, counts in texts.items():
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
