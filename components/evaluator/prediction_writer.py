"""Writes the predictions of each batch to the table of predictions."""

from __future__ import annotations

from dataclasses import dataclass

import apache_beam as beam
import numpy as np
import pyarrow as pa
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.extractors import extractor

from components.evaluator.numbered_examples import ROWS
from components.evaluator.sliced_metrics import Extracts, SlicedMetrics
from components.predictions.table import write_part
from components.predictions.terms import Array
from pipeline.core.contracts import MISSING_INT, MISSING_STRING


@dataclass(frozen=True)
class PredictionWriter:
    """Writes each batch as one part of the table, whose file is named by the first row.

    A batch that Beam repeats, on any worker, replaces the file of the first attempt.
    """

    directory: str
    split: str
    metrics: SlicedMetrics

    def make_extractor(self) -> extractor.Extractor:
        """Returns the step that runs after predicting. It passes each batch on unchanged."""
        return extractor.Extractor(stage_name="WritePredictions", ptransform=beam.Map(self.write))

    def write(self, batch: Extracts) -> Extracts:
        """Writes the rows of the batch, and returns the batch."""
        specs = {spec.is_baseline: spec for spec in self.metrics.eval_config.model_specs}
        labels, candidate = self.metrics.read_outcomes(batch, specs[False])
        features = batch[constants.FEATURES_KEY]
        write_part(
            self.directory,
            self.metrics.label,
            self.split,
            batch[ROWS],
            labels,
            candidate,
            self.metrics.read_outcomes(batch, specs[True])[1] if True in specs else None,
            {name: to_cells(features[name]) for name in self.metrics.slice_columns()},
        )
        return batch


def to_cells(values: Array) -> pa.Array:
    """Returns raw cells of a column as the model sees it, [n] or [n, 1]; null where missing.

    Text, which TFMA holds as UTF-8 bytes, becomes strings.
    """
    values = values.reshape(-1)
    if values.dtype.kind not in "OS":
        missing = np.isnan(values) if values.dtype.kind == "f" else values == MISSING_INT
        return pa.array(values, mask=missing)
    # Most texts occur often: decode each one once.
    encoded = pa.array(values, pa.binary()).dictionary_encode()
    texts = [text.decode("utf-8", "replace") for text in encoded.dictionary.to_pylist()]
    known = [None if text == MISSING_STRING else text for text in texts]
    return pa.array(known, pa.string()).take(encoded.indices)
