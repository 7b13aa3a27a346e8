"""The whole configuration, and the rules between its sections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from pipeline.config.base import BrokenRulesError, Key, RuleError, Section, matching
from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.config.rules.column_names import first_unservable
from pipeline.config.rules.searchable_keys import check_tuning
from pipeline.config.sections.beam import BeamConfig
from pipeline.config.sections.data import ColumnType, DataConfig
from pipeline.config.sections.evaluation import EvaluationConfig, Threshold
from pipeline.config.sections.features import Features
from pipeline.config.sections.label import LabelConfig
from pipeline.config.sections.metrics import METRICS, Metric
from pipeline.config.sections.model import ModelConfig
from pipeline.config.sections.schema import SchemaConfig
from pipeline.config.sections.serving import ServingConfig
from pipeline.config.sections.strategies import refusal_of
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import TuningConfig, Values, with_values
from pipeline.config.sections.validation import ValidationConfig

_NAME = "at most 63 lower-case letters, digits and dashes, the first no dash"


class Config(Section):
    """Everything `run` needs to know."""

    name: Annotated[str, matching(r"[a-z0-9][a-z0-9-]{0,62}", _NAME)]
    """The pipeline's name: lower-case letters, digits and dashes."""
    data: DataConfig
    """The table and its splits."""
    features: Features = Field(min_length=1)
    """The columns the model sees, by name, each with its kind and settings."""
    label: LabelConfig
    """The label column and the task."""
    schema_: SchemaConfig = Field(default=SchemaConfig(), alias="schema")
    """The schema that new data is held against."""
    validation: ValidationConfig = ValidationConfig()
    """The anomaly gate."""
    model: ModelConfig = ModelConfig()
    """The architecture of the model."""
    training: TrainingConfig = TrainingConfig()
    """The fit."""
    tuning: TuningConfig | None = None
    """The search for better values of `model` and `training`; left out, there is none."""
    evaluation: EvaluationConfig
    """What a model has to show before it is pushed."""
    serving: ServingConfig = ServingConfig()
    """Where the pushed model goes."""
    beam: BeamConfig = BeamConfig()
    """How the data work is run by Beam."""
    kubeflow: KubeflowConfig = KubeflowConfig()
    """How the pipeline runs on Kubeflow."""

    @model_validator(mode="after")
    def _rules_between_sections(self) -> Config:
        if broken := list(self._broken_rules()):
            raise BrokenRulesError(broken)
        if self.tuning is not None:
            check_tuning(self.tuning, self.label, self.training, self.with_values)
        return self

    def _broken_rules(self) -> Iterator[RuleError]:
        if self.label.column in self.features:
            yield RuleError(("features", self.label.column), "the label cannot be a feature")
        if self.label.weight_column == self.label.column:
            yield RuleError(("label", "weight_column"), "the label cannot weigh its own rows")
        weight = self.label.weight_column
        if weight is not None and self.data.types.get(weight) == "string":
            yield RuleError(("data", "types", weight), "label.weight_column holds numbers")
        if unservable := first_unservable(self.features):
            column, why = unservable
            yield RuleError(("features", column), f"{why}; leave it out, or rename the column")
        if unservable := first_unservable([self.label.column]):
            yield RuleError(("label", "column"), f"{unservable[1]}; rename the column")
        if refusal := refusal_of(self.training.strategy, self.training):
            key = ("training", *refusal.choice.setting.split("."))
            yield RuleError(key, refusal.told(self.training.strategy))
        yield from self._broken_by_class_weights()
        faults = [*self._broken_by_thresholds()]
        # Only of metrics that there are, is it known which classes they are bound for.
        yield from faults or self._overlaps()

    def _broken_by_class_weights(self) -> Iterator[RuleError]:
        weights, key = self.training.class_weights, ("training", "class_weights")
        if weights is None:
            return
        if self.label.task == "regression":
            yield RuleError(key, "task regression has no classes; label.weight_column weighs rows")
            return
        for name in () if weights == "balanced" else weights:
            if name not in self.label.classes:
                yield RuleError((*key, name), f"'{name}' is not one of label.classes")

    def _overlaps(self) -> Iterator[RuleError]:
        """Of two bounds of a kind on the same metric and slices, one would be forgotten."""
        seen: set[tuple[object, ...]] = set()
        for index, threshold in enumerate(self.evaluation.thresholds):
            for kind in ("at_least", "at_most", "may_worsen_by"):
                if getattr(threshold, kind) is None:
                    continue
                slices = tuple(sorted(threshold.slice_by))
                bounds = {
                    (kind, threshold.metric, name, slices)
                    for name in threshold.classes(self.label.classes)
                }
                if bounds & seen:
                    yield RuleError(
                        ("evaluation", "thresholds", index, kind),
                        f"{threshold.metric} has such a bound on these slices already",
                    )
                seen |= bounds

    def _broken_by_thresholds(self) -> Iterator[RuleError]:
        for index, threshold in enumerate(self.evaluation.thresholds):
            key = ("evaluation", "thresholds", index)
            metric = METRICS.get(threshold.metric)
            if metric is None or self.label.task not in metric.tasks:
                fitting = [name for name, m in METRICS.items() if self.label.task in m.tasks]
                yield RuleError(
                    (*key, "metric"),
                    f"task {self.label.task} has no metric '{threshold.metric}'; "
                    f"it has {', '.join(fitting)}",
                )
            else:
                yield from _broken_bounds(key, threshold, metric)
                yield from self._broken_by_class_name((*key, "class_name"), threshold, metric)

    def _broken_by_class_name(
        self, key: Key, threshold: Threshold, metric: Metric
    ) -> Iterator[RuleError]:
        if threshold.class_name is None:
            return
        if not metric.per_class or self.label.task != "multiclass":
            yield RuleError(key, f"{threshold.metric} is not taken per class here")
        elif threshold.class_name not in self.label.classes:
            yield RuleError(key, f"'{threshold.class_name}' is not one of label.classes")

    def with_values(self, values: Values) -> Config:
        """The configuration of one trial of the search.

        Raises:
          ValidationError: a value is none for its key.
          RuleError: a rule between keys is broken.
        """
        model = with_values("model", self.model, values)
        training = with_values("training", self.training, values)
        update = {"model": model, "training": training, "tuning": None}
        config = self.model_copy(update=update)
        for broken in config._broken_rules():
            raise broken
        return config

    def own_families(self) -> list[str]:
        """The user's own families by their dotted paths, those of the search included."""
        space = self.tuning.search.get("model.family") if self.tuning else None
        models = [self.model, *(ModelConfig(family=f) for f in (space.choice if space else ()))]
        return sorted({model.family for model in models if model.own_module})

    def ingested(self) -> DataConfig:
        """The data section, with the date format that the split's column has as a feature."""
        split = self.data.split
        feature = self.features.get(split.column or "")
        format_ = getattr(feature, "format", "")
        if split.time_format or format_ not in ("iso", "month_first", "day_first"):
            return self.data
        split = split.model_copy(update={"time_format": format_})
        return self.data.model_copy(update={"split": split})

    def features_json(self) -> str:
        """The features section as canonical JSON."""
        features = {name: f.model_dump(mode="json") for name, f in self.features.items()}
        return json.dumps(features, sort_keys=True, ensure_ascii=False)

    def kinds(self) -> dict[str, str]:
        """The columns that training sees beside the label, each with its feature's kind."""
        kinds: dict[str, str] = {name: feature.kind for name, feature in self.features.items()}
        if self.label.weight_column is not None:
            kinds.setdefault(self.label.weight_column, "numeric")
        return kinds

    def categories(self) -> list[str]:
        """The columns of categories: where they hold integers, these are codes."""
        return sorted(name for name, kind in self.kinds().items() if kind == "categorical")

    def column_types(self) -> dict[str, ColumnType]:
        """The types of the columns that the configuration decides; the others are inferred.

        Numbers are always read as floats, so that a first missing value in a later file does
        not change the column's type, and classes as the text that stands in the table.
        """
        types: dict[str, ColumnType] = {
            name: "float"
            for name, feature in self.features.items()
            if feature.kind in ("numeric", "bucketized")
        }
        types |= {n: "string" for n, f in self.features.items() if f.kind in ("boolean", "text")}
        if self.label.weight_column is not None:
            types[self.label.weight_column] = "float"
        types[self.label.column] = "float" if self.label.task == "regression" else "string"
        return types | self.data.types


def _broken_bounds(key: Key, threshold: Threshold, metric: Metric) -> Iterator[RuleError]:
    """A bound that no model can keep would be found out only after the training."""
    name = threshold.metric
    if threshold.at_least is not None and threshold.at_least > metric.high:
        yield RuleError((*key, "at_least"), f"{name} is never above {metric.high:g}")
    if threshold.at_most is not None and threshold.at_most < metric.low:
        yield RuleError((*key, "at_most"), f"{name} is never below {metric.low:g}")
    if metric.higher_is_better is None and threshold.may_worsen_by is not None:
        yield RuleError(
            (*key, "may_worsen_by"),
            f"{name} is best in between; bound it by at_least and at_most",
        )
