"""Replaces TFMA's evaluation step: takes batches of predictions, returns metrics by slice.

TFMA's own steps read the examples before, and check the thresholds and write the results after it.
The results have TFMA's types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apache_beam as beam
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.evaluators import evaluator, metrics_validator
from tensorflow_model_analysis.metrics import metric_types
from tensorflow_model_analysis.proto import config_pb2

from components.evaluator import predictions
from components.evaluator.accumulator import MetricAccumulator
from components.evaluator.binary import BinaryAccumulator
from components.evaluator.multiclass import MulticlassAccumulator
from components.evaluator.regression import RegressionAccumulator
from components.evaluator.slices import SliceKey, group_rows
from components.predictions.terms import Array
from pipeline.config import LabelConfig, Task

Extracts = Mapping[str, Any]
"""A batch as TFMA's extractors return it."""
Accumulators = dict[str, MetricAccumulator]
"""The accumulators of one slice by the name of the model."""

_ACCUMULATORS: dict[Task, type[MetricAccumulator]] = {
    "binary": BinaryAccumulator,
    "multiclass": MulticlassAccumulator,
    "regression": RegressionAccumulator,
}


@dataclass(frozen=True)
class SlicedMetrics:
    """Computes the metrics of the label's task for each slice and each model in `eval_config`."""

    eval_config: config_pb2.EvalConfig
    label: LabelConfig

    def make_evaluator(self) -> evaluator.Evaluator:
        """Returns the step that TFMA runs after predicting."""

        def expand(batches: beam.PCollection) -> dict[str, beam.PCollection]:
            metrics = (
                batches
                | "AccumulateBatches" >> beam.FlatMap(self.accumulate)
                | "MergeAccumulators" >> beam.CombinePerKey(_merge)
                | "Metrics" >> beam.FlatMapTuple(self.compute)
            )
            validations = metrics | "ValidateMetrics" >> beam.Map(
                metrics_validator.validate_metrics, self.eval_config
            )
            return {constants.METRICS_KEY: metrics, constants.VALIDATIONS_KEY: validations}

        return evaluator.Evaluator(
            stage_name="EvaluateSlicedMetrics",
            run_after=predictions.STAGE_NAME,
            ptransform=beam.ptransform_fn(expand)(),
        )

    def accumulate(self, batch: Extracts) -> Iterator[tuple[SliceKey, Accumulators]]:
        """Yields the accumulators of each slice that has rows in the batch."""
        accumulator, specs = _ACCUMULATORS[self.label.task], self.eval_config.model_specs
        models = {spec.name: self.read_outcomes(batch, spec) for spec in specs}
        for spec in self.eval_config.slicing_specs:
            for key, rows in group_rows(batch[constants.FEATURES_KEY], spec.feature_keys):
                yield (
                    key,
                    {
                        name: accumulator.from_batch(labels[rows], predictions[rows])
                        for name, (labels, predictions) in models.items()
                    },
                )

    def compute(
        self, key: SliceKey, accumulators: Accumulators
    ) -> Iterator[tuple[SliceKey, metric_types.MetricsDict]]:
        """Yields the metrics of a slice, and the candidate's differences to the baseline.

        Yields nothing for a slice with fewer rows than `min_slice_size`.
        """
        least = self.eval_config.options.min_slice_size.value
        if key and next(iter(accumulators.values())).count < least:
            return
        values = {
            _make_key(name, model): value
            for model, accumulator in accumulators.items()
            for name, value in {
                "examples": accumulator.count,
                **accumulator.metrics(self.label.classes),
            }.items()
        }
        yield key, {**values, **self._differences(values)}

    def read_outcomes(self, batch: Extracts, spec: config_pb2.ModelSpec) -> tuple[Array, Array]:
        """Returns the labels [n] and the predictions, [n] or [n, classes], of a model."""
        labels, outputs = batch[constants.LABELS_KEY], batch[constants.PREDICTIONS_KEY]
        if len(self.eval_config.model_specs) > 1:
            labels = labels[spec.name]
        shape = (len(labels), -1) if self.label.task == "multiclass" else -1
        return labels.reshape(-1), outputs[spec.name].reshape(shape)

    def slice_columns(self) -> list[str]:
        """Returns the columns of all slices, ordered by name."""
        specs = self.eval_config.slicing_specs
        return sorted({column for spec in specs for column in spec.feature_keys})

    def _differences(self, values: metric_types.MetricsDict) -> metric_types.MetricsDict:
        baselines = [spec.name for spec in self.eval_config.model_specs if spec.is_baseline]
        return {
            key.make_diff_key(): value - values[key.make_baseline_key(baseline)]
            for baseline in baselines
            for key, value in values.items()
            if key.model_name != baseline
        }


def _make_key(name: str, model: str) -> metric_types.MetricKey:
    # TFMA looks thresholds up by keys that are built like this one.
    return metric_types.MetricKey(name=name, model_name=model, example_weighted=None)


def _merge(parts: Iterable[Accumulators]) -> Accumulators:
    total: Accumulators = {}
    for part in parts:
        for model, accumulator in part.items():
            total[model] = total[model] + accumulator if model in total else accumulator
    return total
