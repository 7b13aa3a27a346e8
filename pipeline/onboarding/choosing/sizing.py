"""A network and a fit that suit the number of training rows.

The numbers are those that paid in `make bench-quality`: docs/quality.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config import ModelConfig, TrainingConfig
from pipeline.config.sections.label import Task
from pipeline.config.sections.training import ScheduleConfig
from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess

_MOST_FOR_MEMBERS = 200_000
"""Rows up to which members are trained: beyond, their price is minutes, and their gain small."""
_BINS = 32
_STEPS = 6000
_STEPS_OF_MANY = 12_000
"""The optimiser's steps that tables are learnt within, from 20,000 rows on; the epochs follow."""
_MANY = 20_000
_PATIENCE_STEPS = 800
_MOST_EPOCHS = 300
_PATIENCE = 2


@dataclass(frozen=True)
class Size:
    """The model and the fit, by the keys that are written down."""

    family: Guess[str]
    hidden_units: Guess[tuple[int, ...]]
    numeric_bins: Guess[int]
    dropout: Guess[float]
    global_batch_size: Guess[int]
    learning_rate: Guess[float]
    decay: Guess[str]
    epochs: Guess[int]
    patience: Guess[int]
    patience_steps: Guess[int]

    def model(self) -> ModelConfig:
        return ModelConfig(
            family=self.family.value,
            hidden_units=self.hidden_units.value,
            numeric_bins=self.numeric_bins.value,
            dropout=self.dropout.value,
        )

    def training(self) -> TrainingConfig:
        return TrainingConfig(
            epochs=self.epochs.value,
            learning_rate=self.learning_rate.value,
            schedule=ScheduleConfig.model_validate({"decay": self.decay.value}),
            global_batch_size=self.global_batch_size.value,
            early_stopping_patience=self.patience.value,
            early_stopping_steps=self.patience_steps.value,
        )


def guess_size(train_rows: int, task: Task) -> Size:
    """Small tables get small batches and many passes; patience counts in steps."""
    rows = counted(train_rows, "training row")
    batch = _batch_size(train_rows)
    steps = max(1, train_rows // batch)
    most_steps = _STEPS_OF_MANY if train_rows >= _MANY else _STEPS
    epochs = min(_MOST_EPOCHS, max(10, round(most_steps / steps)))
    return Size(
        family=_family(train_rows),
        hidden_units=Guess(_hidden_units(train_rows), f"for {rows}"),
        numeric_bins=Guess(_BINS, "steps and bumps in a number are easy to learn, as for trees"),
        dropout=_dropout(task),
        global_batch_size=Guess(batch, f"{counted(steps, 'step')} an epoch"),
        learning_rate=Guess(1e-3, "the usual one"),
        decay=Guess("cosine", "down to nothing at the last step"),
        epochs=Guess(epochs, "at most; the early stop comes before if nothing is gained"),
        patience=Guess(_PATIENCE, "epochs, which are short where rows are few"),
        patience_steps=Guess(_PATIENCE_STEPS, "steps without a gain as well"),
    )


def _family(train_rows: int) -> Guess[str]:
    if train_rows <= _MOST_FOR_MEMBERS:
        return Guess("ensemble", "8 networks in one: several times the seconds of wide_deep")
    return Guess("wide_deep", "rows enough: `ensemble` gains little and takes several times longer")


def _dropout(task: Task) -> Guess[float]:
    if task == "regression":
        return Guess(0.0, "it would blur the amounts that are predicted")
    return Guess(0.1, "against learning rows by heart")


def _batch_size(train_rows: int) -> int:
    """A fiftieth of the rows, as a power of two from 32 to 256; of many rows, up to 1024.

    Fewer where the trainer would have fewer, for the sake of 16 steps an epoch.
    """
    most = 256 if train_rows <= _MOST_FOR_MEMBERS else 1024
    wanted = min(max(train_rows / 50, 32), most)
    enough_steps = max(train_rows // 16, 8)
    return int(2 ** min(round(math.log2(wanted)), math.floor(math.log2(enough_steps))))


def _hidden_units(train_rows: int) -> tuple[int, ...]:
    return (128, 128) if train_rows < 500_000 else (256, 128)
