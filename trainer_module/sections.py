"""Parses the sections of the configuration that Transform, the trainer and a trial receive.

This module imports no TensorFlow, so that light processes can import it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from pipeline.config import Features, LabelConfig, ModelConfig, TrainingConfig
from pipeline.config.sections.families.names import TREES
from pipeline.config.sections.tuning import with_values
from pipeline.core.contracts import CustomConfigKey
from trainer_module.names import add_numbers

_NOT_IN_FINGERPRINT = {"recovery", "tensorboard", "devices", "threads", "steps_per_execution"}
"""Keys of `training` that do not change the weights: a changed value keeps the backup valid."""


class Sections:
    """The sections of the configuration in TFX's `custom_config`, as JSON texts by name.

    Each section is parsed at its first use. Transform receives `features` and `label` only: a
    section that a component does not receive cannot invalidate the component's cache.
    """

    def __init__(
        self, custom_config: Mapping[str, Any], values: Mapping[str, Any] | None = None
    ) -> None:
        self._texts = custom_config
        self.tuned = dict(values or {})
        """Values for keys of `model` and `training` that the Tuner found, by dotted key."""

    def with_values(self, values: Mapping[str, Any]) -> Sections:
        """Returns the sections with other values for keys of `model` and `training`."""
        return Sections(self._texts, {**self.tuned, **values})

    @cached_property
    def features(self) -> Features:
        """The features by column, sorted by the column's name."""
        text = self._texts[CustomConfigKey.FEATURES]
        parsed: Features = TypeAdapter(Features).validate_json(text)
        return dict(sorted(parsed.items()))

    @cached_property
    def encoded_features(self) -> Features:
        """What the model gets: the features, and what `add_numbers` makes of them."""
        return add_numbers(self.features)

    @cached_property
    def label(self) -> LabelConfig:
        return LabelConfig.model_validate_json(self._texts[CustomConfigKey.LABEL])

    @property
    def encodes_for_trees(self) -> bool:
        """Whether Transform prepares the features for trees."""
        return CustomConfigKey.ENCODING in self._texts

    @property
    def encodes_for_networks(self) -> bool:
        """Whether Transform prepares the features for networks."""
        return self._texts.get(CustomConfigKey.ENCODING) != TREES

    @cached_property
    def model(self) -> ModelConfig:
        model = ModelConfig.model_validate_json(self._texts[CustomConfigKey.MODEL])
        return with_values("model", model, self.tuned)

    @cached_property
    def training(self) -> TrainingConfig:
        training = TrainingConfig.model_validate_json(self._texts[CustomConfigKey.TRAINING])
        return with_values("training", training, self.tuned)

    @property
    def backup_directory(self) -> str:
        return str(self._texts[CustomConfigKey.BACKUP_DIRECTORY])

    def fingerprint(self) -> str:
        """Returns a hash of everything in the configuration that the fitted weights depend on."""
        key = CustomConfigKey
        keys = (key.FEATURES, key.LABEL, key.MODEL, key.CODE)
        texts = [str(self._texts.get(key)) for key in keys]
        texts.append(self.training.model_dump_json(exclude=_NOT_IN_FINGERPRINT))
        text = "\n".join([*texts, json.dumps(self.tuned, sort_keys=True)])
        return hashlib.sha256(text.encode()).hexdigest()
