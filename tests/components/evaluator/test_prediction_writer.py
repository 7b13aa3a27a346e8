"""Batches as TFMA's extractors return them become parts of the table of predictions."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorflow_model_analysis import constants
from tensorflow_model_analysis.proto import config_pb2

from components.evaluator.numbered_examples import ROWS
from components.evaluator.prediction_writer import PredictionWriter, to_cells
from components.evaluator.sliced_metrics import SlicedMetrics
from components.predictions.table import read_predictions
from components.predictions.terms import Array
from pipeline.config import LabelConfig
from pipeline.core.contracts import MISSING_INT, MISSING_STRING

MISSING_TEXT = MISSING_STRING.encode()


@pytest.mark.parametrize("names", [[""], ["candidate", "baseline"]])
def test_labels_predictions_and_slices_of_a_batch_are_written(
    names: list[str], tmp_path: Path
) -> None:
    specs = [config_pb2.ModelSpec(name=n, is_baseline=n == "baseline") for n in names]
    slices = [config_pb2.SlicingSpec(feature_keys=keys) for keys in ((), ("hour", "city"))]
    eval_config = config_pb2.EvalConfig(model_specs=specs, slicing_specs=slices)
    label = LabelConfig(column="y", task="regression")
    writer = PredictionWriter(str(tmp_path), "test", SlicedMetrics(eval_config, label))
    labels = np.array([[1.5], [2.5]], np.float32)
    batch: dict[str, Any] = {
        ROWS: np.array([0, 1]),
        constants.FEATURES_KEY: {
            "hour": np.array([[7], [MISSING_INT]]),
            "city": np.array([[b"Oslo"], [MISSING_TEXT]], object),
            "unread": np.array([[0.5], [0.5]]),
        },
        constants.LABELS_KEY: labels if len(names) == 1 else dict.fromkeys(names, labels),
        constants.PREDICTIONS_KEY: {n: labels[:, 0] + i for i, n in enumerate(names)},
    }
    assert writer.write(batch) is batch
    table = read_predictions(str(tmp_path))
    assert table.labels.tolist() == table.candidate.tolist() == [1.5, 2.5]
    assert (table.served is None) == (len(names) == 1)
    if table.served is not None:
        assert table.served.tolist() == [2.5, 3.5]
    cells = {name: column.to_pylist() for name, column in table.slices.items()}
    assert cells == {"city": ["Oslo", None], "hour": [7, None]}


@pytest.mark.parametrize(
    ("values", "cells"),
    [
        (np.array([[1], [MISSING_INT]]), [1, None]),
        (np.array([0.5, math.nan], np.float32), [0.5, None]),
        (
            np.array([b"a", MISSING_TEXT, "ü".encode(), b"", b"a"], object),
            ["a", None, "ü", "", "a"],
        ),
        (np.array([b"\xff"], object), ["\N{REPLACEMENT CHARACTER}"]),
        (np.empty((0, 1), object), []),
    ],
)
def test_what_stands_for_a_missing_cell_is_null(values: Array, cells: list[Any]) -> None:
    assert to_cells(values).to_pylist() == cells
