"""The part of the configuration that the figures about the model depend on."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.config import EvaluationConfig, Feature, LabelConfig, ReportConfig, Section
from pipeline.config.sections.metrics import metric_name


class FigureSettings(Section):
    """The configuration of ModelFigures. Other settings are left out: the output stays cached."""

    label: LabelConfig
    evaluation: EvaluationConfig
    kinds: dict[str, str]
    """The features, each with its kind."""
    time_formats: dict[str, str]
    """The format of each feature of kind timestamp."""
    time_parts: dict[str, tuple[str, ...]] = {}
    """The parts of each feature of kind timestamp that the model sees."""
    rows: bool
    """`report.rows`."""

    @classmethod
    def of(
        cls,
        features: Mapping[str, Feature],
        label: LabelConfig,
        evaluation: EvaluationConfig,
        report: ReportConfig,
    ) -> FigureSettings:
        return cls(
            label=label,
            evaluation=evaluation,
            kinds={name: feature.kind for name, feature in features.items()},
            time_formats={
                name: feature.format
                for name, feature in features.items()
                if feature.kind == "timestamp"
            },
            time_parts={
                name: feature.parts
                for name, feature in features.items()
                if feature.kind == "timestamp"
            },
            rows=report.rows,
        )

    @property
    def slicings(self) -> list[tuple[str, ...]]:
        """The columns of each slicing that the Evaluator computes, each ordered by name."""
        slicings = [
            *self.evaluation.slices,
            *(threshold.slice_by for threshold in self.evaluation.thresholds),
            *(gap.slice_by for gap in self.evaluation.gaps),
        ]
        return list(dict.fromkeys(tuple(sorted(columns)) for columns in slicings if columns))

    @property
    def leading_metric(self) -> tuple[str, str]:
        """The first metric with a threshold: its name in METRICS, and its name in the results."""
        first = self.evaluation.thresholds[0]
        return first.metric, metric_name(first.metric, first.class_name)
