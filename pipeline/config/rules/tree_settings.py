"""Checks the keys that boosted trees cannot honour, and lists those that they do not read.

A key that only says how a network is built or fitted changes nothing, so it may stay where it is:
a change of `model.family` needs no other change. A key that asks for another kind of training is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from pipeline.config.base import RuleError
from pipeline.config.sections.families.names import BLEND, TREES
from pipeline.config.sections.model import ModelConfig
from pipeline.config.sections.training import TrainingConfig
from pipeline.config.sections.tuning import TuningConfig

_READ = (
    "model.family", "model.trees", "training.class_weights", "training.seed", "training.seconds",
    "training.deterministic", "training.threads", "training.recovery",
)  # fmt: skip
"""The keys that a training of trees reads or fulfils anyway (it is always deterministic), and those
that the supervisor of any training reads."""
_SEARCHABLE = ("model.family", "model.trees.", "training.class_weights", "training.seed")
"""The beginnings of the keys that a search over trees can vary."""


def find_broken_by_trees(model: ModelConfig, training: TrainingConfig) -> Iterator[RuleError]:
    """Yields an error for each key that asks for a training that trees cannot have."""
    workers = "workers" if training.workers > 1 else "strategy"
    if model.is_trees and training.warm_start:
        yield RuleError(
            ("training", "warm_start"),
            "family trees starts anew: the served trees name categories by numbers that change "
            "with the data; leave the key out",
        )
    if model.is_trees and training.has_servers:
        yield RuleError(
            ("training", workers),
            "family trees trains in one process, with a thread for each core; leave the key out",
        )
    if model.family == BLEND and model.blend.fits > 1 and training.has_servers:
        yield RuleError(
            ("model", "blend", "fits"),
            "a blend of several fits trains in one process; leave the key out, or "
            f"training.{workers}",
        )


def find_unread_in_search(
    families: Sequence[str], tuning: TuningConfig | None
) -> Iterator[RuleError]:
    """Yields an error for each key of the search that none of the families reads."""
    for key in tuning.search if tuning else ():
        place = ("tuning", "search", key)
        if key.startswith("model.blend.") and BLEND not in families:
            yield RuleError(place, "only family blend reads it")
        elif key.startswith("model.trees.") and not {TREES, BLEND} & {*families}:
            yield RuleError(place, "only the families trees and blend read it")
        elif {*families} == {TREES} and not key.startswith(_SEARCHABLE):
            yield RuleError(place, "family trees does not read it; search model.trees")


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
