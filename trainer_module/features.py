"""The names and settings that Transform, the trainer and the Evaluator have to agree on.

Imports no TensorFlow: whoever only needs a name gets it at once.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from pipeline.config import Feature, Features, LabelConfig, ModelConfig, TrainingConfig
from pipeline.config.sections.tuning import with_values

LABEL_KEY = "_label"
"""The label among Transform's outputs; no transformed name starts with an underscore."""
WEIGHT_KEY = "_weight"
"""How much the row counts, among Transform's outputs, where the label names such a column."""

FIRST_CATEGORY_ID = 1
"""Ids of categories and buckets start behind that of a missing value, 0."""
FIRST_TOKEN_ID = 2
"""Ids of tokens start behind the padding, 0, and a missing text, 1."""
TOKEN_OOV_BUCKETS = 1

_SAFE_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
# Such files cannot be made, or open something else, where the model may be served: on Windows.
_DEVICE_NAME = re.compile(r"con|prn|aux|nul|(?:com|lpt)[0-9]")
_LOOKS_HASHED = re.compile(r".*__[0-9a-f]{8}")


def transformed_name(column: str) -> str:
    """The name of a column's feature after Transform: safe as a layer, file and Parquet name.

    A column that is such a name already keeps it. Any other becomes its readable part and eight
    hexadecimal digits of its hash, so that `Fare (km)` and `fare.km` stay apart, on file systems
    without regard to case as well.
    """
    if _SAFE_NAME.fullmatch(column) and not (
        _LOOKS_HASHED.fullmatch(column) or _DEVICE_NAME.fullmatch(column)
    ):
        return column
    readable = re.sub(r"[^a-z0-9]+", "_", column.lower()).strip("_")[:48]
    if not readable[:1].isalpha():
        readable = f"column_{readable}".rstrip("_")
    return f"{readable}__{hashlib.sha256(column.encode()).hexdigest()[:8]}"


def count_ids(feature: Feature, vocabulary_size: int) -> int | None:
    """How many ids the transformed feature can take, or None for one that consists of numbers.

    `vocabulary_size` only matters where the feature has a vocabulary.
    """
    if feature.kind == "bucketized":
        buckets = len(feature.boundaries) + 1 if feature.boundaries else feature.buckets
        return FIRST_CATEGORY_ID + buckets
    if feature.kind == "hashed":
        return FIRST_CATEGORY_ID + feature.buckets
    if feature.kind == "categorical":
        return FIRST_CATEGORY_ID + vocabulary_size + feature.oov_buckets
    if feature.kind == "text":
        return FIRST_TOKEN_ID + vocabulary_size + TOKEN_OOV_BUCKETS
    return None


def first_token_id(feature: Feature) -> int:
    """The id of the most frequent entry of the feature's vocabulary."""
    return FIRST_TOKEN_ID if feature.kind == "text" else FIRST_CATEGORY_ID


_WITHOUT_EFFECT = {"recovery", "tensorboard", "devices", "threads", "steps_per_execution"}
"""Of the training section, what leaves the weights as they are: whoever changes it goes on."""


class Sections:
    """The sections of the configuration that reached user code as TFX's custom_config.

    They are parsed when first asked for, since Transform is only given `features` and `label`:
    what a component is not given cannot invalidate its cache.
    """

    def __init__(
        self, custom_config: Mapping[str, Any], values: Mapping[str, Any] | None = None
    ) -> None:
        self._texts = custom_config
        self.tuned = dict(values or {})
        """Values that a search has found for keys of `model` and `training`."""

    @cached_property
    def features(self) -> Features:
        """The features by column, in the order of the columns' names."""
        parsed: Features = TypeAdapter(Features).validate_json(self._texts["features"])
        return dict(sorted(parsed.items()))

    @cached_property
    def label(self) -> LabelConfig:
        return LabelConfig.model_validate_json(self._texts["label"])

    @cached_property
    def model(self) -> ModelConfig:
        model = ModelConfig.model_validate_json(self._texts["model"])
        return with_values("model", model, self.tuned)

    @cached_property
    def training(self) -> TrainingConfig:
        training = TrainingConfig.model_validate_json(self._texts["training"])
        return with_values("training", training, self.tuned)

    @property
    def backup_directory(self) -> str:
        return str(self._texts["backup_directory"])

    def fingerprint(self) -> str:
        """Differs when anything differs that the fitted weights depend on."""
        keys = ("features", "label", "model", "code")
        texts = [str(self._texts.get(key)) for key in keys]
        texts.append(self.training.model_dump_json(exclude=_WITHOUT_EFFECT))
        text = "\n".join([*texts, json.dumps(self.tuned, sort_keys=True)])
        return hashlib.sha256(text.encode()).hexdigest()
