"""Chooses the model's size and the training settings by task and number of training rows.

`make bench-quality` settled the values: docs/quality.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pipeline.config import ModelConfig, TrainingConfig
from pipeline.config.sections.families.blend import BlendConfig
from pipeline.config.sections.families.names import BLEND
from pipeline.config.sections.families.trees import TreesConfig
from pipeline.config.sections.label import Task
from pipeline.config.sections.training import ScheduleConfig
from pipeline.core.text import counted
from pipeline.onboarding.guess import Guess

MANY_ROWS = 200_000
"""Training rows up to which `ensemble` is proposed, and trees without a limit. Beyond, the epochs
of `ensemble` take minutes, and the trees take longer than the network (docs/quality.md)."""
_BINS = 32
"""32 bins in place of 16 lowered the eval loss on bikes; 128 did not pay on late
(docs/quality.md)."""
_STEPS = 12_000
"""Training steps; the epochs follow. Half of them gave a higher eval loss (docs/quality.md, cuts).
Patience may end a fit before."""
_SECONDS_A_ROW = {"ensemble": 45e-6, "wide_deep": 8e-6}
"""Seconds in which a network of these sizes takes a step, by row of the batch, on two shared cores:
41e-6 to 47e-6 for `ensemble` on bikes and cuts; `wide_deep` took a sixth of them on late
(docs/quality.md)."""
_COLUMNS = 20
"""The seconds hold up to here. Each further column adds weights to the first layer: on digits, with
61 columns, `ensemble` took 37 s for at most 200,000 rows (docs/quality.md)."""
_PATIENCE_STEPS = 800
"""Patience counts in steps, since an epoch of few rows says little (docs/quality.md)."""
_PATIENCE_EPOCHS = 2
"""Epochs without a gain before the early stop; on small tables the steps above last longer."""
_FEWEST_EPOCHS = 10
"""Large tables exceed the steps above for these epochs, so that all rows are seen several times."""
_MOST_EPOCHS = 1000
"""Bounds the evaluations, one an epoch, of tables with few steps in each epoch: with 106 rows, an
epoch has 13 steps. With at most 300 epochs, a fit of wines ended before its patience."""
_BATCHES = 50
"""The batch is a fiftieth of the rows: about 50 steps an epoch on small tables."""
_SMALLEST_BATCH = 32
_LARGEST_BATCH = 256
_LARGEST_BATCH_OF_MANY_ROWS = 1024
"""Above 200,000 rows larger batches bound the time of an epoch."""
_FEWEST_STEPS = 16
_FEWEST_ROWS_OF_BATCH = 8
"""With fewer steps an epoch, the Trainer lowers the batch itself, though not below 8 rows."""
_TEXT_CELLS = 100_000_000
"""The most numbers that the trees' table may hold for the tokens of texts: 400 MB."""
_MOST_TEXT_TOKENS = 1_000
"""With 1,000 tokens in place of 100, the eval loss of the trees fell from 1.76 to 1.14 on
docstrings, and from 0.947 to 0.930 on risks (docs/quality.md)."""
_TEXT_TOKENS_OF_ALL_OUTPUTS = 10_000
"""The most such tokens times the outputs, each of which has trees of its own. The served model
reads each column for each tree: with this bound, some 150 trees an output take 2 ms for a row."""
_MANY_ROWS_FOR_WIDE_LAYERS = 500_000
"""Rows from which the first layer gets 256 units. Wider layers brought nothing on a table of
40,000 rows (docs/quality.md, late); more rows can fill more weights."""


@dataclass(frozen=True)
class Size:
    """The model and the training settings, by the keys of the configuration."""

    family: Guess[str]
    network: Guess[str]
    hidden_units: Guess[tuple[int, ...]]
    numeric_bins: Guess[int]
    dropout: Guess[float]
    global_batch_size: Guess[int]
    learning_rate: Guess[float]
    decay: Guess[str]
    epochs: Guess[int]
    patience: Guess[int]
    patience_steps: Guess[int]
    tree_iterations: Guess[int] | None = None
    """The most iterations of the trees; None for the default."""
    tree_learning_rate: Guess[float] | None = None
    tree_text_tokens: Guess[int] | None = None

    @property
    def has_trees(self) -> bool:
        return self.family.value == BLEND

    @property
    def text_tokens(self) -> int:
        """The tokens of each text that become columns of the trees."""
        return self.to_model_config().trees.text_tokens

    @property
    def trees(self) -> dict[str, Guess[Any]]:
        """The keys of `model.trees` that are not defaults."""
        guesses = {
            "iterations": self.tree_iterations,
            "learning_rate": self.tree_learning_rate,
            "text_tokens": self.tree_text_tokens,
        }
        return {key: guess for key, guess in guesses.items() if guess}

    def to_model_config(self) -> ModelConfig:
        return ModelConfig(
            trees=TreesConfig.model_validate({k: g.value for k, g in self.trees.items()}),
            family=self.family.value,
            blend=BlendConfig(network=self.network.value),
            hidden_units=self.hidden_units.value,
            numeric_bins=self.numeric_bins.value,
            dropout=self.dropout.value,
        )

    def to_training_config(self) -> TrainingConfig:
        return TrainingConfig(
            epochs=self.epochs.value,
            learning_rate=self.learning_rate.value,
            schedule=ScheduleConfig.model_validate({"decay": self.decay.value}),
            global_batch_size=self.global_batch_size.value,
            early_stopping_patience=self.patience.value,
            early_stopping_steps=self.patience_steps.value,
        )


def guess_size(train_rows: int, task: Task, texts: int = 0, outputs: int = 1) -> Size:
    """Returns the size for a table: small tables get small batches and many epochs.

    Args:
      train_rows: the rows of split train.
      texts: the number of texts among the features.
      outputs: the numbers that the model computes for a row.
    """
    rows = counted(train_rows, "training row")
    batch = _choose_batch_size(train_rows)
    steps = max(1, train_rows // batch)
    epochs = min(_MOST_EPOCHS, max(_FEWEST_EPOCHS, round(_STEPS / steps)))
    return Size(
        family=Guess(BLEND, "split eval decides the weights of network and trees: docs/quality.md"),
        network=_guess_network(train_rows),
        hidden_units=Guess(_choose_hidden_units(train_rows), f"for {rows}"),
        numeric_bins=Guess(_BINS, "lets the network learn steps and peaks, as trees do"),
        dropout=_guess_dropout(task),
        global_batch_size=Guess(batch, f"{counted(steps, 'step')} per epoch"),
        learning_rate=Guess(1e-3, "default of the Adam optimizer"),
        decay=Guess("cosine", "lowers the learning rate to 0 at the last step"),
        epochs=Guess(epochs, "at most; training stops once the eval loss no longer improves"),
        patience=Guess(_PATIENCE_EPOCHS, "epochs without a lower eval loss before training stops"),
        patience_steps=Guess(
            _PATIENCE_STEPS, "steps that must pass as well: an epoch of few rows is short"
        ),
        tree_text_tokens=_guess_text_tokens(train_rows, texts, outputs),
    )


def estimate_seconds(network: str, rows: int, columns: int) -> float:
    """Returns the seconds that a network takes on two cores to see `rows` rows in all epochs."""
    return rows * _SECONDS_A_ROW[network] * max(1.0, columns / _COLUMNS)


def _guess_network(train_rows: int) -> Guess[str]:
    if train_rows <= MANY_ROWS:
        return Guess("ensemble", "8 networks in one; takes several times longer than wide_deep")
    return Guess("wide_deep", "on many rows, `ensemble` gains little and takes much longer")


def _guess_text_tokens(train_rows: int, texts: int, outputs: int) -> Guess[int] | None:
    """Returns the number of tokens of each text that become columns; None for the default."""
    if not texts:
        return None
    bounds = _TEXT_CELLS // train_rows, _TEXT_TOKENS_OF_ALL_OUTPUTS // outputs
    tokens = min(_MOST_TEXT_TOKENS, *(bound // texts for bound in bounds))
    if tokens <= TreesConfig().text_tokens:
        return None
    return Guess(tokens, "n-grams of each text that become columns of the trees")


def _guess_dropout(task: Task) -> Guess[float]:
    if task == "regression":
        return Guess(0.0, "dropout would blur the predicted amounts")
    return Guess(0.1, "against overfitting")


def _choose_batch_size(train_rows: int) -> int:
    """Returns a fiftieth of the rows as a power of two, from 32 to 256, or to 1024 for many rows.

    A very small table gets a smaller batch, so that an epoch has at least 16 steps.
    """
    is_small = train_rows <= MANY_ROWS
    most = _LARGEST_BATCH if is_small else _LARGEST_BATCH_OF_MANY_ROWS
    wanted = min(max(train_rows / _BATCHES, _SMALLEST_BATCH), most)
    enough_steps = max(train_rows // _FEWEST_STEPS, _FEWEST_ROWS_OF_BATCH)
    return int(2 ** min(round(math.log2(wanted)), math.floor(math.log2(enough_steps))))


def _choose_hidden_units(train_rows: int) -> tuple[int, ...]:
    return (128, 128) if train_rows < _MANY_ROWS_FOR_WIDE_LAYERS else (256, 128)
