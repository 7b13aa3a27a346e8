"""A network and a fit that suit the number of training rows."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pipeline.config import ModelConfig, TrainingConfig
from pipeline.onboarding.guess import Guess, counted

_STEPS = 3000
"""The optimiser's steps that most tables are learnt within; the epochs of small ones follow."""
_PATIENCE_STEPS = 300
_MOST_EPOCHS = 300
_MOST_PATIENCE = 40


@dataclass(frozen=True)
class Size:
    """The model and the fit, by the keys that are written down."""

    hidden_units: Guess[tuple[int, ...]]
    dropout: Guess[float]
    global_batch_size: Guess[int]
    learning_rate: Guess[float]
    epochs: Guess[int]
    patience: Guess[int]

    def model(self) -> ModelConfig:
        return ModelConfig(hidden_units=self.hidden_units.value, dropout=self.dropout.value)

    def training(self) -> TrainingConfig:
        return TrainingConfig(
            epochs=self.epochs.value,
            learning_rate=self.learning_rate.value,
            global_batch_size=self.global_batch_size.value,
            early_stopping_patience=self.patience.value,
        )


def guess_size(train_rows: int) -> Size:
    """Small tables get a small network, small batches and many passes; patience counts in steps."""
    rows = counted(train_rows, "training row")
    batch = _batch_size(train_rows)
    steps = max(1, train_rows // batch)
    epochs = min(_MOST_EPOCHS, max(10, round(_STEPS / steps)))
    patience = min(_MOST_PATIENCE, max(3, math.ceil(_PATIENCE_STEPS / steps)))
    hidden, dropout = _network(train_rows)
    return Size(
        hidden_units=Guess(hidden, f"for {rows}"),
        dropout=Guess(dropout, "against learning few rows by heart" if dropout else "rows enough"),
        global_batch_size=Guess(batch, f"{counted(steps, 'step')} an epoch"),
        learning_rate=Guess(*_learning_rate(train_rows)),
        epochs=Guess(epochs, "at most; the early stop comes before if nothing is gained"),
        patience=Guess(patience, f"about {counted(patience * steps, 'step')} without a gain"),
    )


def _batch_size(train_rows: int) -> int:
    """A fortieth of the rows, as a power of two from 8 to 1024."""
    return int(2 ** min(10, max(3, round(math.log2(max(train_rows, 1) / 40)))))


def _network(train_rows: int) -> tuple[tuple[int, ...], float]:
    if train_rows < 1000:
        return (32, 16), 0.1
    if train_rows < 10_000:
        return (64, 32), 0.1
    return ((128, 64), 0.0) if train_rows < 500_000 else ((256, 128), 0.0)


def _learning_rate(train_rows: int) -> tuple[float, str]:
    small = train_rows < 10_000
    return (2e-3, "twice the usual one, for few rows") if small else (1e-3, "the usual one")
