"""Parts of a model that do not belong together are not exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from exported_model import LABEL, Exported

from components.model_exporter.exporter import Exporter, Places, _max_difference
from components.predictions.table import read_predictions
from pipeline.config import EvaluationConfig, ExportConfig, LabelConfig


def make_exporter(exported: Exported, directory: Path) -> Exporter:
    places = Places(directory)
    places.pushed.mkdir()
    (directory / "pushed/transform").symlink_to(exported.pushed / "transform")
    evaluation = {"thresholds": [{"metric": "auc", "at_least": 0.6}]}
    return Exporter(
        places,
        read_predictions(str(exported.directory / "predictions")),
        LabelConfig.model_validate(LABEL),
        EvaluationConfig.model_validate(evaluation),
        "trainer_module.exporting",
        {},
    )


def read_cells(exported: Exported) -> Any:
    types = {"größe (cm)": pa.float32(), "color": pa.large_binary()}
    return lambda columns: pa.table(
        {name: pa.array(exported.test[name], types[name]) for name in columns}
    )


@pytest.mark.slow
def test_rows_of_another_order_are_refused(exported: Exported, tmp_path: Path) -> None:
    exporter = make_exporter(exported, tmp_path)
    model = str(exported.directory / "model/Format-Serving")
    turned = replace(exporter.table, candidate=exporter.table.candidate[::-1])
    with pytest.raises(ValueError, match="does not repeat the Evaluator's predictions"):
        replace(exporter, table=turned).prepare(model, read_cells(exported))


@pytest.mark.slow
def test_a_conversion_that_fails_is_a_result_without_a_file(
    exported: Exported, tmp_path: Path
) -> None:
    exporter = make_exporter(exported, tmp_path)
    export = ExportConfig(format="onnx")
    result = exporter.export(export)  # Nothing is prepared: there is no network.
    assert (result.passed, result.metrics, result.bytes) == (False, {}, None)
    assert result.reasons[0].startswith("the network cannot be converted: ")
    assert not exporter.places.file(export).exists()


def test_the_greatest_difference_is_a_number_or_none() -> None:
    assert _max_difference(np.array([0.1, 0.5]), np.array([0.1, 0.25])) == 0.25
    assert _max_difference(np.array([np.nan]), np.array([0.1])) is None
