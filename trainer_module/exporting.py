"""What the ModelExporter asks of the trainer's code, by the paths of these functions.

This module imports no TFX: each export is converted in a process of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import tensorflow_transform as tft

from trainer_module.input.examples import open_examples
from trainer_module.names import network_names
from trainer_module.sections import Sections
from trainer_module.smaller.train import ONE_PROCESS, train_smaller
from trainer_module.transform_module import save_transform


@dataclass(frozen=True)
class ExportInputs:
    """What a model was trained from."""

    train_files: Sequence[str]
    eval_files: Sequence[str]
    transform_graph_path: str
    custom_config: Mapping[str, Any]
    hyperparameters: Mapping[str, Any]
    """The values that the Tuner found, by configuration key; empty without a search."""
    base_model: str
    """Directory of the SavedModel."""

    @property
    def sections(self) -> Sections:
        """The configuration of the model, for a training in this process."""
        return Sections(self.custom_config, {**self.hyperparameters, **ONE_PROCESS})


def export_transform(inputs: Mapping[str, Any], directory: str) -> None:
    """Saves Transform's graph alone in `directory`; `inputs` holds the fields of ExportInputs."""
    given = ExportInputs(**inputs)
    output = tft.TFTransformOutput(given.transform_graph_path)
    save_transform(directory, output, given.sections.features)


def sample_training_rows(inputs: Mapping[str, Any], count: int) -> dict[str, npt.NDArray[Any]]:
    """Returns at most `count` transformed rows that are spread over the training split.

    Returns:
      The inputs of the network by transformed name, float32 or int64 [rows, width] each.
    """
    given = ExportInputs(**inputs)
    spec = tft.TFTransformOutput(given.transform_graph_path).transformed_feature_spec()
    train = open_examples(given.train_files, spec)
    names = network_names(given.sections.features)
    columns = train.sample(names, 100 * count)
    rows = len(columns[names[0]])
    chosen = np.unique(np.linspace(0, rows - 1, min(count, rows)).astype(np.int64))
    return {name: values[chosen] for name, values in columns.items()}


def train_further(
    inputs: Mapping[str, Any], prune: float | None, is_rounded: bool, directory: str
) -> float | None:
    """Trains the model's network further, and saves the network in `directory`.

    Returns the share of the prunable weights that are 0, None without pruning; see `train_smaller`.

    Raises:
      PipelineError: training diverges.
    """
    given = ExportInputs(**inputs)
    return train_smaller(given, given.sections, prune, is_rounded, directory)
