"""Trains and exports a blend: what `run_fn` and a trial of the search do for family `blend`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import tensorflow as tf

from pipeline.core.events import PartsWeighed, emit
from trainer_module.blend.calibration import find_temperature
from trainer_module.blend.model import BlendModel, WeightedPart
from trainer_module.blend.parts import TREES, Part, PartsToFit
from trainer_module.blend.weights import find_weights
from trainer_module.export import export_model
from trainer_module.fit.history import write_history
from trainer_module.fit_setup import FitInputs, FitSetup
from trainer_module.heads import Head
from trainer_module.input.labels import LabelledRows, read_labels
from trainer_module.sections import Sections
from trainer_module.trees.run import shorten_training, write_text

if TYPE_CHECKING:
    from tfx.components.trainer.fn_args_utils import FnArgs


def train_blend(fn_args: FnArgs, sections: Sections, setup: FitSetup, backup: str) -> None:
    """Trains the parts, and writes the SavedModel of their weighted mean and the history.

    Args:
      setup: the setup of the first network.
      backup: the name of the directory with the backups of all parts.

    Raises:
      PipelineError: the training of a part fails and `model.blend.skip_failed` is not set, or the
        training of every part fails.
    """
    directory, run = os.path.join(sections.backup_directory, backup), fn_args.model_run_dir
    epochs = sections.training.epochs
    parts = PartsToFit(fn_args, sections, setup, epochs, directory, run).fit()
    if not parts:
        return
    blend = _weigh(parts, setup)
    emit(
        PartsWeighed(
            parts={m.name: m.weight for m in blend.members},
            temperatures={m.name: m.temperature for m in blend.members if m.temperature != 1},
            eval_loss=blend.measures["loss"],
        )
    )
    kept = [WeightedPart(m.part.model, m.weight, m.temperature) for m in blend.members if m.weight]
    model = BlendModel(kept, setup.head)
    export_model(fn_args.serving_model_dir, model, setup.transform_output, setup.head, sections)
    main = parts[0]
    facts = {
        **main.facts,
        **_find_importance(blend),
        "parts": list(map(_describe, blend.members)),
        **_find_time_limit(parts, sections),
        "blend": {f"eval_{name}": value for name, value in blend.measures.items()},
        "tuned": sections.tuned,
        "backup": backup,
    }
    write_history(run, main.state, facts)
    for part in parts:
        if part.kind == TREES:
            name = "lightgbm" if part.number == 1 else f"lightgbm-{part.number}"
            write_text(run, part.text, name)


def train_trial(
    inputs: FitInputs, sections: Sections, setup: FitSetup, epochs: int, directory: str
) -> dict[str, float]:
    """Trains with the values of a trial and returns the measures of the blend.

    A short trial has the share `epochs / training.epochs` of the trees, too.
    """
    short = shorten_training(sections, epochs)
    backup = os.path.join(directory, "backup")
    parts = PartsToFit(inputs, short, setup, epochs, backup, directory).fit()
    measures = {f"eval_{name}": value for name, value in _weigh(parts, setup).measures.items()}
    trained = parts[0].state.epochs
    return measures | {"epochs": len(trained), "steps": trained[-1]["steps"]}


@dataclass(frozen=True)
class _Member:
    part: Part
    weight: float
    temperature: float
    """What the output of the part is divided by: see `calibration`."""

    @property
    def name(self) -> str:
        return f"{self.part.kind} {self.part.number}"


@dataclass(frozen=True)
class _Blend:
    members: Sequence[_Member]
    measures: dict[str, float]
    """The loss and the metrics of the weighted mean on the evaluation split."""


def _weigh(parts: Sequence[Part], setup: FitSetup) -> _Blend:
    data = setup.data
    rows = read_labels(data.evaluation, data.weights)
    raw = [part.outputs[rows.is_known] for part in parts]
    temperatures = [find_temperature(o, rows.labels, rows.weights, setup.head) for o in raw]
    outputs = [o * np.float32(1 / t) for o, t in zip(raw, temperatures, strict=True)]
    weights = find_weights(outputs, rows.labels, rows.weights, setup.head)
    kept = [(output, weight) for output, weight in zip(outputs, weights, strict=True) if weight]
    stacked = tf.constant(np.stack([output for output, _ in kept], axis=1))
    mean = setup.head.combine_members(stacked, [weight for _, weight in kept])
    members = list(map(_Member, parts, weights, temperatures))
    return _Blend(members, _measure(mean, rows, setup.head))


def _measure(output: tf.Tensor, rows: LabelledRows, head: Head) -> dict[str, float]:
    labels = tf.constant(rows.labels[:, np.newaxis])
    losses = np.asarray(head.loss(labels, output), np.float64)
    measures = {"loss": float(np.average(losses, weights=rows.weights))}
    for metric in head.metrics():
        metric.update_state(labels, output)
        measures[metric.name] = float(metric.result())
    return measures


def _find_importance(blend: _Blend) -> dict[str, Any]:
    """Returns the importance of the columns in the served trees of the largest weight, if any."""
    served = [m for m in blend.members if m.part.kind == TREES and m.weight]
    if not served:
        return {}
    facts = max(served, key=lambda m: m.weight).part.facts
    return {name: value for name, value in facts.items() if name.startswith("importance_")}


def _find_time_limit(parts: Sequence[Part], sections: Sections) -> dict[str, Any]:
    """Returns the time limit for the history, if it has ended a part."""
    is_out_of_time = any(part.state.is_out_of_time for part in parts)
    return {"time_limit": sections.training.seconds} if is_out_of_time else {}


def _describe(member: _Member) -> dict[str, Any]:
    part = member.part
    best = part.state.best_epoch
    assert best is not None, "a fit without one raises"
    return {
        "part": part.kind,
        "number": part.number,
        "seed": part.seed,
        "weight": member.weight,
        "unit": part.facts.get("unit", "epoch"),
        "best_epoch": best + 1,
        "eval_loss": part.state.epochs[best]["eval_loss"],
        "seconds": round(part.seconds, 1),
        "is_out_of_time": part.state.is_out_of_time,
        "epochs": part.state.epochs,
        "temperature": member.temperature,
    }
