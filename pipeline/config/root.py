"""The whole configuration, and the rules between its sections."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from pipeline.config.base import BrokenRulesError, RuleError, Section, matching
from pipeline.config.engine.rules import find_broken_by_engine
from pipeline.config.engine.section import EngineConfig
from pipeline.config.exports.rules import find_broken_exports
from pipeline.config.exports.section import ExportConfig
from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.config.rules.column_names import first_unservable
from pipeline.config.rules.metric_bounds import find_broken_bounds
from pipeline.config.rules.places import find_broken_places
from pipeline.config.rules.record_sources import find_unread_by_records
from pipeline.config.rules.searchable_keys import check_tuning
from pipeline.config.rules.tree_settings import find_broken_by_trees, find_unread_in_search
from pipeline.config.sections.beam import BeamConfig
from pipeline.config.sections.data import ColumnType, DataConfig
from pipeline.config.sections.evaluation import EvaluationConfig
from pipeline.config.sections.features import Features, Timestamp
from pipeline.config.sections.label import LabelConfig
from pipeline.config.sections.model import ModelConfig
from pipeline.config.sections.report import ReportConfig
from pipeline.config.sections.retention import RetentionConfig
from pipeline.config.sections.schema import SchemaConfig
from pipeline.config.sections.serving import PredictionConfig, ServingConfig
from pipeline.config.sections.strategies import find_restriction
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import TuningConfig, Values, with_values
from pipeline.config.sections.validation import ValidationConfig
from pipeline.core.zones import AS_WRITTEN

_NAME = "at most 63 lower-case letters, digits and dashes, the first no dash"


class Config(Section):
    """All sections; the content of a configuration file."""

    name: Annotated[str, matching(r"[a-z0-9][a-z0-9-]{0,62}", _NAME)]
    """The pipeline's name: lower-case letters, digits and dashes."""
    data: DataConfig
    """The table and its splits."""
    features: Features = Field(min_length=1)
    """The columns that the model sees, each with its kind and settings."""
    label: LabelConfig
    """The label column and the task."""
    schema_: SchemaConfig = Field(default=SchemaConfig(), alias="schema")
    """The reference schema that new data is validated against."""
    validation: ValidationConfig = ValidationConfig()
    """The data gate."""
    model: ModelConfig = ModelConfig()
    """The model: the architecture of a network, the settings of boosted trees, or both."""
    training: TrainingConfig = TrainingConfig()
    """The fit of the model."""
    tuning: TuningConfig | None = None
    """The search for better values in `model` and `training` (default: no search)."""
    evaluation: EvaluationConfig
    """The thresholds that a model must meet before it is pushed."""
    exports: tuple[ExportConfig, ...] = ()
    """Smaller and faster forms of the model, pushed with it: see docs/exports.md."""
    report: ReportConfig = ReportConfig()
    """The page of a run."""
    serving: ServingConfig = ServingConfig()
    """Where versions are pushed to, and how many stay."""
    prediction: PredictionConfig | None = None
    """Batch predictions after each run (default: none)."""
    retention: RetentionConfig = RetentionConfig()
    """How many runs stay in the output directory."""
    engine: EngineConfig = EngineConfig()
    """Where the data components work: on this machine, or on a cluster."""
    beam: BeamConfig = BeamConfig()
    """How Apache Beam runs the data components."""
    kubeflow: KubeflowConfig = KubeflowConfig()
    """How the pipeline runs on Kubeflow."""

    @model_validator(mode="after")
    def _check_rules_between_sections(self) -> Config:
        if broken := list(self._broken_rules()):
            raise BrokenRulesError(broken)
        if self.tuning is not None:
            check_tuning(self.tuning, self.label, self.training, self.with_values)
        return self

    def _broken_rules(self) -> Iterator[RuleError]:
        if self.label.column in self.features:
            yield RuleError(("features", self.label.column), "the label cannot be a feature")
        if self.label.weight_column == self.label.column:
            yield RuleError(
                ("label", "weight_column"), "the label cannot be the weight of its own rows"
            )
        weight = self.label.weight_column
        if weight is not None and self.data.types.get(weight) == "string":
            yield RuleError(
                ("data", "types", weight), "is label.weight_column, which needs numbers"
            )
        if unservable := first_unservable(self.features):
            column, why = unservable
            yield RuleError(("features", column), f"{why}; leave it out, or rename the column")
        if unservable := first_unservable([self.label.column]):
            yield RuleError(("label", "column"), f"{unservable[1]}; rename the column")
        if restriction := find_restriction(self.training.strategy, self.training):
            key = ("training", *restriction.setting.key.split("."))
            yield RuleError(key, restriction.describe(self.training.strategy))
        yield from find_broken_places(self.features)
        yield from find_unread_by_records(self.data, self.prediction)
        yield from self._broken_by_class_weights()
        yield from find_broken_bounds(self.evaluation, self.label)
        yield from find_broken_exports(self.exports, self.families())
        yield from find_broken_by_trees(self.model, self.training)
        yield from find_broken_by_engine(self)
        yield from find_unread_in_search(self.families(), self.tuning)

    def _broken_by_class_weights(self) -> Iterator[RuleError]:
        weights, key = self.training.class_weights, ("training", "class_weights")
        if weights is None:
            return
        if self.label.task == "regression":
            yield RuleError(
                key, "task regression has no classes; label.weight_column can weight rows"
            )
            return
        for name in () if weights == "balanced" else weights:
            if name not in self.label.classes:
                yield RuleError((*key, name), f"'{name}' is not one of label.classes")

    def with_values(self, values: Values) -> Config:
        """Returns the configuration of one trial of the search.

        Raises:
          ValidationError: a value is not valid for its key.
          RuleError: a rule between keys is broken.
        """
        model = with_values("model", self.model, values)
        training = with_values("training", self.training, values)
        update = {"model": model, "training": training, "tuning": None}
        config = self.model_copy(update=update)
        for broken in config._broken_rules():
            raise broken
        return config

    def own_families(self) -> dict[str, str]:
        """Returns the dotted paths of the user's own families, each with the key that names it.

        Families that the search tries are included.
        """
        networks = self._values_of("model.blend.network", self.model.blend.network)
        named = dict.fromkeys(networks, "model.blend.network")
        named |= dict.fromkeys(self.families(), "model.family")
        return {family: key for family, key in sorted(named.items()) if "." in family}

    def families(self) -> list[str]:
        """Returns the family of `model`, and those that the search tries."""
        return self._values_of("model.family", self.model.family)

    def _values_of(self, key: str, value: str) -> list[str]:
        """Returns the value of a key that holds text, and those that the search tries."""
        space = self.tuning.search.get(key) if self.tuning else None
        return [value, *(space.choice if space else ())]

    def data_with_time_format(self) -> DataConfig:
        """Returns the section `data` with format and zone of times taken from the column's feature.

        The keys are `split.time_format` and `split.time_zone`.
        """
        split = self.data.split
        feature = self.features.get(split.column or "")
        if not isinstance(feature, Timestamp):
            return self.data
        update: dict[str, object] = {}
        if split.time_format is None and feature.format in ("iso", "month_first", "day_first"):
            update["time_format"] = feature.format
        if split.time_zone is None and feature.zone != AS_WRITTEN:
            update["time_zone"] = feature.zone
        return self.data.model_copy(update={"split": split.model_copy(update=update)})

    def features_json(self) -> str:
        """Returns the section `features` as canonical JSON."""
        features = {name: f.model_dump(mode="json") for name, f in self.features.items()}
        return json.dumps(features, sort_keys=True, ensure_ascii=False)

    def kinds_with_weight_column(self) -> dict[str, str]:
        """Returns the kind of each feature; the weight column, if set, is numeric."""
        kinds: dict[str, str] = {name: feature.kind for name, feature in self.features.items()}
        if self.label.weight_column is not None:
            kinds.setdefault(self.label.weight_column, "numeric")
        return kinds

    def categories(self) -> list[str]:
        """Returns the categorical columns; integers in them are codes, not numbers."""
        return sorted(
            name for name, kind in self.kinds_with_weight_column().items() if kind == "categorical"
        )

    def column_types(self) -> dict[str, ColumnType]:
        """Returns the column types that follow from the configuration; other types are inferred.

        Numbers are always read as floats, so that the first missing value in a later file does
        not change the column's type. Classes are read as the text in the table.
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
