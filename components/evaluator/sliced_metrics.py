"""TFMA's evaluation step, batch by batch: predictions in, metrics and validations by slice out.

What comes before it (reading, predicting) and after it (checking thresholds, writing) is TFMA's
own, and so are the results.
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
from components.evaluator.accumulator import Array, Tally
from components.evaluator.binary import BinaryTally
from components.evaluator.multiclass import MulticlassTally
from components.evaluator.regression import RegressionTally
from components.evaluator.slices import SliceKey, rows_by_slice
from pipeline.config import LabelConfig, Task

Extracts = Mapping[str, Any]
"""A batch, as TFMA's extractors leave it."""
Tallies = dict[str, Tally]
"""By the name of the model."""

_TALLIES: dict[Task, type[Tally]] = {
    "binary": BinaryTally,
    "multiclass": MulticlassTally,
    "regression": RegressionTally,
}


@dataclass(frozen=True)
class SlicedMetrics:
    """The metrics of `label`'s task on the slices of `eval_config`, for each of its models."""

    eval_config: config_pb2.EvalConfig
    label: LabelConfig

    def evaluator(self) -> evaluator.Evaluator:
        """The step as TFMA runs it, after predicting."""

        def expand(batches: beam.PCollection) -> dict[str, beam.PCollection]:
            metrics = (
                batches
                | "TallyBatches" >> beam.FlatMap(self.tally)
                | "AddTallies" >> beam.CombinePerKey(_add_tallies)
                | "Metrics" >> beam.FlatMapTuple(self.metrics)
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

    def tally(self, batch: Extracts) -> Iterator[tuple[SliceKey, Tallies]]:
        """The tallies of every slice that has rows in the batch."""
        models = {spec.name: self._outcomes(batch, spec) for spec in self.eval_config.model_specs}
        for spec in self.eval_config.slicing_specs:
            for key, rows in rows_by_slice(batch[constants.FEATURES_KEY], spec.feature_keys):
                yield (
                    key,
                    {
                        name: _TALLIES[self.label.task].of(labels[rows], predictions[rows])
                        for name, (labels, predictions) in models.items()
                    },
                )

    def metrics(
        self, key: SliceKey, tallies: Tallies
    ) -> Iterator[tuple[SliceKey, metric_types.MetricsDict]]:
        """The metrics of a slice, and the candidate's difference to the baseline."""
        enough = self.eval_config.options.min_slice_size.value
        if key and next(iter(tallies.values())).count < enough:
            return
        values = {
            _key(name, model): value
            for model, tally in tallies.items()
            for name, value in {
                "examples": tally.count,
                **tally.metrics(self.label.classes),
            }.items()
        }
        yield key, {**values, **self._differences(values)}

    def _differences(self, values: metric_types.MetricsDict) -> metric_types.MetricsDict:
        baselines = [spec.name for spec in self.eval_config.model_specs if spec.is_baseline]
        return {
            key.make_diff_key(): value - values[key.make_baseline_key(baseline)]
            for baseline in baselines
            for key, value in values.items()
            if key.model_name != baseline
        }

    def _outcomes(self, batch: Extracts, spec: config_pb2.ModelSpec) -> tuple[Array, Array]:
        """Labels [n] and predictions [n] or [n, classes]."""
        labels, outputs = batch[constants.LABELS_KEY], batch[constants.PREDICTIONS_KEY]
        if len(self.eval_config.model_specs) > 1:
            labels = labels[spec.name]
        shape = (len(labels), -1) if self.label.task == "multiclass" else -1
        return labels.reshape(-1), outputs[spec.name].reshape(shape)


def _key(name: str, model: str) -> metric_types.MetricKey:
    # So TFMA names the metrics whose thresholds are given by name.
    return metric_types.MetricKey(name=name, model_name=model, example_weighted=None)


def _add_tallies(several: Iterable[Tallies]) -> Tallies:
    total: Tallies = {}
    for tallies in several:
        for model, tally in tallies.items():
            total[model] = total[model] + tally if model in total else tally
    return total
