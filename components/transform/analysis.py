"""Analyses examples with TFT, and writes Transform's graph and metadata.

TFX's own way to the same files adds stages for telemetry and for its analyzer cache, which nothing
reads here. On a small table they take longer than the analysis.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import apache_beam as beam
import tensorflow_transform as tft
import tensorflow_transform.beam as tft_beam
from tensorflow_transform.tf_metadata import dataset_metadata


def analyze(
    make_pipeline: Callable[[], beam.Pipeline],
    datasets: Sequence[Any],
    preprocessing_fn: Any,
    metadata: dataset_metadata.DatasetMetadata,
    output: str,
    **context: Any,
) -> None:
    """Writes the graph, its metadata and the metadata of the raw columns below `output`.

    Args:
      datasets: TFX's datasets, reduced to the columns that the analysis needs.
      metadata: of the raw columns.
      context: the settings of `tft_beam.Context`.
    """
    raw = os.path.join(output, tft.TFTransformOutput.RAW_METADATA_DIR)
    with make_pipeline() as pipeline, tft_beam.Context(**context):
        tables = [
            pipeline | f"Read{index}" >> dataset.tfxio.BeamSource()
            for index, dataset in enumerate(datasets)
        ]
        table = tables[0] if len(tables) == 1 else tables | beam.Flatten()
        analysis = tft_beam.AnalyzeDataset(preprocessing_fn, pipeline=pipeline)
        transform_fn = (table, datasets[0].tfxio.TensorAdapterConfig()) | "Analyze" >> analysis
        _ = metadata | "WriteMetadata" >> tft_beam.WriteMetadata(raw, pipeline)
        _ = transform_fn | "WriteTransformFn" >> tft_beam.WriteTransformFn(output)
