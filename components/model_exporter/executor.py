"""The executor of ModelExporter. A failed export is a result, and does not fail the component."""

from __future__ import annotations

import functools
import importlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.dsl.io import fileio
from tfx.types import artifact_utils, standard_component_specs
from tfx.utils import io_utils, path_utils

from components.model_exporter.exporter import Exporter, Places
from components.model_exporter.settings import ExporterSettings
from components.model_exports.results import PUSHED, write_results
from components.predictions.examples import read_examples
from components.predictions.table import read_predictions
from components.statistics_view.reference import read_schema
from pipeline.core.contracts import Channel, Split

TRAINING_CODE = "training_code"
"""The execution property with the path of the trainer's code; see `trainer_module/exporting.py`."""
TRANSFORMED = "transformed_examples"
HYPERPARAMETERS = standard_component_specs.HYPERPARAMETERS_KEY

_MOST_ROWS = 2_000_000
"""Rows to judge on; of more rows, a random sample. It moves an accuracy by less than 0.001."""
_MOST_SCORES = 50_000_000
"""Predicted numbers to hold in memory: 200 MB for each model."""

_Artifacts = dict[str, list[types.Artifact]]


class Executor(base_executor.BaseExecutor):
    """Writes `exports.json`, and what the Pusher copies if an export passed."""

    def Do(
        self, input_dict: _Artifacts, output_dict: _Artifacts, exec_properties: dict[str, Any]
    ) -> None:
        settings = ExporterSettings.model_validate_json(exec_properties["settings"])
        uris = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        model = path_utils.serving_model_path(uris["model"])
        inputs = _describe_inputs(input_dict, exec_properties, model)
        width = max(len(settings.label.classes), 1)
        most = min(_MOST_ROWS, _MOST_SCORES // width)
        table = read_predictions(uris[Channel.PREDICTIONS], at_most=most)
        with tempfile.TemporaryDirectory(prefix="exports-") as scratch:
            exporter = Exporter(
                Places(Path(scratch)),
                table,
                settings.label,
                settings.evaluation,
                exec_properties[TRAINING_CODE],
                inputs,
            )
            code = importlib.import_module(exec_properties[TRAINING_CODE])
            code.export_transform(inputs, str(exporter.places.transform))
            [examples] = input_dict[Channel.EXAMPLES]
            read_cells = functools.partial(
                read_examples, examples, table.split, read_schema(uris["schema"]), rows=table.rows
            )
            exporter.prepare(model, read_cells)
            _export_all(exporter, settings, artifact_utils.get_single_uri(output_dict["exports"]))


def _export_all(exporter: Exporter, settings: ExporterSettings, output: str) -> None:
    """Makes all exports, and writes the artifact to `output`."""
    models = exporter.describe_models()
    results = [exporter.export(export) for export in settings.exports]
    pairs = zip(settings.exports, results, strict=True)
    fileio.makedirs(output)
    write_results(output, [*models, *results])
    if passed := [pair for pair in pairs if pair[1].passed]:
        exporter.write_manifest(passed)
        io_utils.copy_dir(str(exporter.places.pushed), os.path.join(output, PUSHED))


def _describe_inputs(
    input_dict: _Artifacts, exec_properties: dict[str, Any], model: str
) -> dict[str, Any]:
    """Returns the fields of `ExportInputs` in `trainer_module/exporting.py`."""
    examples = input_dict[TRANSFORMED]
    files = {
        split: [io_utils.all_files_pattern(artifact_utils.get_split_uri(examples, split))]
        for split in (Split.TRAIN, Split.EVAL)
    }
    return {
        "train_files": files[Split.TRAIN],
        "eval_files": files[Split.EVAL],
        "transform_graph_path": artifact_utils.get_single_uri(input_dict["transform_graph"]),
        "custom_config": json.loads(exec_properties[standard_component_specs.CUSTOM_CONFIG_KEY]),
        "hyperparameters": _read_hyperparameters(input_dict),
        "base_model": model,
    }


def _read_hyperparameters(input_dict: _Artifacts) -> dict[str, Any]:
    if not input_dict.get(HYPERPARAMETERS):
        return {}
    directory = artifact_utils.get_single_uri(input_dict[HYPERPARAMETERS])
    found: dict[str, Any] = json.loads(
        io_utils.read_string_file(io_utils.get_only_uri_in_dir(directory))
    )
    return found
