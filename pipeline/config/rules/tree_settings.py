"""Checks the keys that boosted trees cannot honour, and lists those that they do not read.

A key that only says how a network is built or fitted changes nothing, so it may stay where it is:
a change of `model.family` needs no other change. A key that asks for another kind of training is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from pipeline.config.base import RuleError
from pipeline.config.sections.model import TREES, ModelConfig
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import TuningConfig

_READ = (
    "model.family", "model.trees", "training.class_weights", "training.seed",
    "training.deterministic", "training.threads", "training.recovery",
)  # fmt: skip
"""The keys that a training of trees reads, and those that the supervisor of any training reads."""
_SEARCHABLE = ("model.family", "model.trees.", "training.class_weights", "training.seed")
"""The beginnings of the keys that a search over trees can vary."""


def find_broken_by_trees(
    model: ModelConfig, training: TrainingConfig, tuning: TuningConfig | None
) -> Iterator[RuleError]:
    """Yields an error for each key that asks for what trees, or networks, cannot do."""
    if model.is_trees:
        yield from _find_broken_training(training)
    if tuning is not None:
        yield from _find_broken_search(model, tuning)


def _find_broken_training(training: TrainingConfig) -> Iterator[RuleError]:
    if training.warm_start:
        yield RuleError(
            ("training", "warm_start"),
            "family trees starts anew: the served trees name categories by numbers that change "
            "with the data; leave the key out",
        )
    if training.workers > 1 or training.strategy in ("multi_worker", "parameter_server"):
        key = "workers" if training.workers > 1 else "strategy"
        yield RuleError(
            ("training", key),
            "family trees trains in one process, with a thread for each core; leave the key out",
        )


def _find_broken_search(model: ModelConfig, tuning: TuningConfig) -> Iterator[RuleError]:
    space = tuning.search.get("model.family")
    families = {model.family, *(space.choice if space else ())}
    if TREES in families and len(families) > 1:
        yield RuleError(
            ("tuning", "search", "model.family"),
            "Transform prepares the features either for trees or for networks; search one of both",
        )
        return
    for key in tuning.search:
        if model.is_trees and not key.startswith(_SEARCHABLE):
            yield RuleError(
                ("tuning", "search", key), "family trees does not read it; search model.trees"
            )
        if not model.is_trees and key.startswith("model.trees."):
            yield RuleError(("tuning", "search", key), "only family trees reads it")


def list_unread_keys(model: ModelConfig, training: TrainingConfig) -> list[str]:
    """Returns the keys that a training of trees does not read, if they differ from the default."""
    changed = [*_list_changed("model", model), *_list_changed("training", training)]
    return [key for key in changed if not key.startswith(_READ)]


def _list_changed(prefix: str, section: BaseModel) -> Iterator[str]:
    """Yields the dotted keys whose value is not the default."""
    for name, field in type(section).model_fields.items():
        value: Any = getattr(section, name)
        if value != field.default:
            yield f"{prefix}.{name}"
