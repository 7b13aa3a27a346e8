"""What a rival is given, and what it returns."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.contest.metrics import Answers
from benchmarks.contest.rows import Split


@dataclass(frozen=True)
class Problem:
    """What a fit predicts, and the moment at which it ends."""

    splits: Mapping[str, Split]
    task: str
    classes: int
    seed: int
    threads: int
    deadline: float = math.inf
    """As `time.monotonic()`. Later, a fit adds no tree."""

    def end_in(self, seconds: float) -> Problem:
        """Returns the problem with a deadline from now."""
        return replace(self, deadline=time.monotonic() + seconds)

    def predict(self, model: Any, features: Any) -> Answers:
        """Returns the predictions of a fitted model with the interface of scikit-learn."""
        if self.task == "regression":
            return np.asarray(model.predict(features), np.float64)
        found = model.predict_proba(features)
        return align_classes(model.classes_, found, self.task, self.classes)

    @property
    def is_late(self) -> bool:
        """Whether the deadline is over."""
        return time.monotonic() > self.deadline


@dataclass(frozen=True)
class Contestant:
    """The predictions of one fit for the test rows, and its cost."""

    answers: Answers
    seconds: float
    """The wall time of the fit and the predictions."""
    eval_loss: float
    is_cut: bool = False
    """Whether the deadline ended the fit."""


def align_classes(known: Any, found: Any, task: str, classes: int) -> Answers:
    """Returns probabilities of the second class, [rows], or of all classes, [rows, classes].

    Args:
      known: the classes of the columns of `found`. A model has no column for a class without a
        training row; such a class gets probability 0.
    """
    probabilities = np.zeros((len(found), classes))
    probabilities[:, np.asarray(known, int)] = found
    return probabilities[:, 1] if task == "binary" else probabilities
