"""Trains the parts of a blend, one after the other, each from a seed of its own.

A seed changes trees only where they draw rows or columns. The second trees and all later ones draw
both, so that they differ from the first ones: the mean of differing models is better than each.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.core.errors import as_pipeline_error
from pipeline.core.events import PartFailed, PartStarted, emit
from trainer_module.blend.failures import concerns_one_part
from trainer_module.blend.outputs import compute_outputs
from trainer_module.fit.history import TrainedState
from trainer_module.fit_setup import FitInputs, FitSetup, set_up_fit
from trainer_module.network_fit import fit_network
from trainer_module.sections import Sections
from trainer_module.trees.setup import set_up_trees

NETWORK, TREES = "network", "trees"
_REPEATED_SHARE = 0.8
"""The share of rows and columns that repeated trees draw, unless the configuration has another."""
_LEAST_SHARE = 0.25
"""The share of `training.seconds` that the first trees may take at least. A network may take longer
than its half, to finish a step or to start, and a blend needs trees that are worth their name."""


@dataclass(frozen=True)
class Part:
    """A trained part."""

    kind: str
    number: int
    """Which of the parts of its kind, from 1 on."""
    seed: int
    model: Any
    """A network or a TreesModel."""
    state: TrainedState
    seconds: float
    """Wall time of the fit, with that of interrupted processes; without reading the rows."""
    facts: Mapping[str, Any]
    """What the history says about the training, beside its epochs."""
    outputs: npt.NDArray[np.float32]
    """The head's outputs for each row of the evaluation split, [rows, units]."""
    text: str = ""
    """LightGBM's text of the trees; empty for a network."""


@dataclass(frozen=True)
class _Place:
    """What a fit needs to know of the fits before it."""

    number: int
    """Which of the parts of its kind, from 1 on."""
    seconds: float | None
    """The wall time after which the fit ends; None for no limit."""
    steps_before: int
    """The steps of the fits before it."""


@dataclass(frozen=True)
class PartsToFit:
    """The parts to train, and where.

    Args:
      setup: the setup of the first network, whose strategy the others share.
      epochs: the epochs of a network; other than `training.epochs` in a short trial.
    """

    inputs: FitInputs
    sections: Sections
    setup: FitSetup
    epochs: int
    backup_directory: str
    run_directory: str

    def fit(self) -> list[Part]:
        """Trains all parts; returns none of them on each worker but the chief.

        Raises:
          DivergenceError: training diverges, and `model.blend.skip_failed` is not set. With it, the
            last failure is raised if all parts fail; see `concerns_one_part`.
          PipelineError: a backup cannot be restored.
        """
        settings, is_chief = self.sections.model.blend, self.setup.data.replicas.is_chief
        parts: list[Part] = []
        spent = 0.0
        failure: Exception | None = None
        for count, (kind, number, fit) in enumerate(self._list_fits(), start=1):
            if number > 1 and self._is_late(spent):
                break
            if is_chief:
                emit(PartStarted(part=kind, number=number, count=count, parts=2 * settings.fits))
            start = time.monotonic()
            try:
                part = fit(_Place(number, self._find_limit(count, spent), _count_steps(parts)))
            except Exception as error:
                # The chief alone trains trees.
                workers = self.sections.training.workers if kind == NETWORK else 1
                if not settings.skip_failed or not concerns_one_part(error, workers):
                    raise
                failure = error
                spent += time.monotonic() - start
                reason = str(as_pipeline_error(error))
                emit(PartFailed(part=kind, number=number, reason=reason))
                continue
            if part is not None:
                spent += part.seconds
                parts.append(part)
        # The other workers cannot know whether the chief's trees have succeeded.
        if failure is not None and not parts and is_chief:
            raise failure
        return parts

    def _is_late(self, spent: float) -> bool:
        """Whether the fits so far have taken so long that no further fit begins."""
        limits = (self.sections.model.blend.seconds, self.sections.training.seconds)
        return any(limit is not None and spent >= limit for limit in limits)

    def _find_limit(self, count: int, spent: float) -> float | None:
        """Returns the seconds of the fit that is number `count` of all, from 1 on.

        The first network may take half of `training.seconds`, so that the first trees have time,
        too. Each fit after it may take all that is left, but the first trees at least a quarter of
        the whole.
        """
        whole = self.sections.training.seconds
        if whole is None:
            return None
        if count == 1:
            return whole / 2
        # A later fit begins only while time is left.
        return max(whole - spent, _LEAST_SHARE * whole) if count == 2 else whole - spent

    def _list_fits(self) -> Iterator[tuple[str, int, Callable[[_Place], Part | None]]]:
        for number in range(1, self.sections.model.blend.fits + 1):
            yield NETWORK, number, self._fit_network
            # Only the chief trains trees. The networks are over then: see `tree_settings`.
            if self.setup.data.replicas.is_chief:
                yield TREES, number, self._fit_trees

    def _fit_network(self, place: _Place) -> Part | None:
        number = place.number
        sections = self._seed(number)
        setup = self.setup
        if number > 1:
            setup = set_up_fit(self.inputs, sections, setup.model.distribute_strategy)
        training = sections.training.model_copy(
            update={"epochs": self.epochs, "seconds": place.seconds}
        )
        name = f"{NETWORK}-{number}"
        run_directory = self.run_directory
        if number > 1:
            run_directory = os.path.join(run_directory, name)
        backup = os.path.join(self.backup_directory, name)
        fitted = fit_network(setup, training, backup, run_directory, place.steps_before)
        if fitted is None:
            return None
        seconds = fitted.state.seconds
        outputs = compute_outputs(fitted.network, setup.data.evaluation, setup.head.units)
        seed = training.seed
        return Part(
            NETWORK, number, seed, fitted.network, fitted.state, seconds, fitted.facts, outputs
        )

    def _fit_trees(self, place: _Place) -> Part:
        number = place.number
        sections = self._seed(number).with_values({"training.seconds": place.seconds})
        trees = sections.model.trees
        if number > 1 and trees.row_share == trees.column_share == 1:
            shares = ("model.trees.row_share", "model.trees.column_share")
            sections = sections.with_values(dict.fromkeys(shares, _REPEATED_SHARE))
        setup = set_up_trees(self.inputs, sections)
        backup = os.path.join(self.backup_directory, f"{TREES}-{number}")
        fitted = setup.fit(sections, backup, place.steps_before)
        outputs = compute_outputs(fitted.model, setup.evaluation, self.setup.head.units)
        return Part(
            TREES,
            number,
            sections.training.seed,
            fitted.model,
            fitted.state,
            fitted.state.seconds,
            fitted.facts,
            outputs,
            fitted.text,
        )

    def _seed(self, number: int) -> Sections:
        seed = self.sections.training.seed + number - 1
        return self.sections.with_values({"training.seed": seed}) if number > 1 else self.sections


def _count_steps(parts: Sequence[Part]) -> int:
    return sum(int(part.state.epochs[-1]["steps"]) for part in parts)
