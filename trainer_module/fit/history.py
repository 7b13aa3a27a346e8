"""Writes the metrics of all epochs: `history.json` for reports, `history.csv` for a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from typing import Any, Protocol

import tensorflow as tf

from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import write_text_atomically

_TABLE_FILE = "history.csv"


class TrainedState(Protocol):
    """The measures of a finished training: of a network's epochs, or of the trees' iterations."""

    epochs: list[dict[str, float]]

    is_out_of_time: bool
    """Whether the training ended because its time was over."""

    @property
    def best_epoch(self) -> int | None:
        """Index of the epoch that is kept, from 0."""

    @property
    def seconds(self) -> float:
        """Wall time of the training so far, with that of interrupted processes."""


def write_history(directory: str, state: TrainedState, facts: Mapping[str, Any]) -> None:
    """Writes both files atomically. `facts` are further keys of `history.json`."""
    history = {**facts, "best_epoch": (state.best_epoch or 0) + 1, "epochs": state.epochs}
    tf.io.gfile.makedirs(directory)
    table = _format_table(state.epochs)
    # Not durable: the runner syncs the whole artifact before metadata knows it.
    write_text_atomically(os.path.join(directory, _TABLE_FILE), table, durable=False)
    text = json.dumps(history, indent=1)
    write_text_atomically(os.path.join(directory, ArtifactFile.HISTORY), text, durable=False)


def _format_table(epochs: list[dict[str, float]]) -> str:
    """Returns the CSV text: one line for each epoch, counted from 1."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["epoch", *epochs[0]])
    writer.writeheader()
    writer.writerows({"epoch": number, **epoch} for number, epoch in enumerate(epochs, start=1))
    return text.getvalue()
