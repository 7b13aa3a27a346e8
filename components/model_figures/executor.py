"""The executor of ModelFigures, which never fails because of a figure."""

from __future__ import annotations

import functools
import os
from typing import Any

from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import path_utils

from components.model_figures.make import FigureInputs, make_empty_predictions, make_model_figures
from components.model_figures.sensitivity.served_function import ServedFunction
from components.model_figures.settings import FigureSettings
from components.predictions.examples import read_examples
from components.predictions.gaps.gaps_file import read_gaps
from components.predictions.table import read_predictions
from components.run_figures.figures_file import write_figures
from components.run_figures.notes import Notes
from components.served_model.served_record import read_record_artifact
from components.statistics_view.reference import read_schema
from pipeline.core.contracts import ArtifactFile, Channel, Output

_MOST_SCORES = 50_000_000
"""Predicted numbers to hold in memory: 200 MB for each of the two models."""


class Executor(base_executor.BaseExecutor):
    """Writes `model_figures.json`."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        uris = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        settings = FigureSettings.model_validate_json(exec_properties["settings"])
        examples = artifact_utils.get_single_instance(input_dict[Channel.EXAMPLES])
        notes, width = Notes(), max(len(settings.label.classes), 1)
        record = read_record_artifact(uris[Channel.BASELINE])
        schema = read_schema(uris["schema"])
        inputs = FigureInputs(
            settings=settings,
            predictions=notes.attempt(
                "the table of predictions",
                lambda: read_predictions(uris[Channel.PREDICTIONS], at_most=_MOST_SCORES // width),
                make_empty_predictions(settings),
            ),
            read_cells=functools.partial(
                read_examples, examples, settings.evaluation.split, schema
            ),
            load_function=functools.partial(
                ServedFunction,
                path_utils.serving_model_path(uris["model"]),
                Output.BY_TASK[settings.label.task],
            ),
            baseline=record.version if record is not None else None,
            gaps=notes.attempt("the gaps", lambda: read_gaps(uris[Channel.EVALUATION]), ()),
            others=_list_others(schema, settings),
            notes=notes,
        )
        output = artifact_utils.get_single_uri(output_dict[Channel.FIGURES])
        figures = make_model_figures(inputs)
        write_figures(os.path.join(output, ArtifactFile.MODEL_FIGURES), figures)


def _list_others(schema: schema_pb2.Schema, settings: FigureSettings) -> tuple[str, ...]:
    """Returns the whole numbers and texts that are neither features, label nor weight."""
    used = {*settings.kinds, settings.label.column, settings.label.weight_column}
    kinds = (schema_pb2.INT, schema_pb2.BYTES)
    return tuple(f.name for f in schema.feature if f.name not in used and f.type in kinds)
