"""The executor of DataFigures, which never fails because of a figure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils

from components.data_figures.association_measures import Array
from components.data_figures.make import make_data_figures
from components.data_figures.samples import DataInputs
from components.findings.findings import read_findings
from components.predictions.examples import read_examples
from components.run_figures.figures_file import write_figures
from components.statistics_view.gate_rules import GateRules
from components.statistics_view.reference import read_reference, read_schema, read_statistics
from pipeline.config import LabelConfig
from pipeline.core.contracts import ArtifactFile, Channel


class Executor(base_executor.BaseExecutor):
    """Writes `data_figures.json`."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        examples = artifact_utils.get_single_instance(input_dict[Channel.EXAMPLES])
        uris = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        rules = GateRules.model_validate_json(exec_properties["rules"])
        schema = read_schema(uris["schema"])
        inputs = DataInputs(
            statistics=read_statistics(uris["statistics"]),
            schema=schema,
            reference=read_reference(uris["reference"], rules.schema_.reference),
            findings=read_findings(uris["findings"]),
            rules=rules,
            label=LabelConfig.model_validate_json(exec_properties["label"]),
        )
        output = artifact_utils.get_single_uri(output_dict[Channel.FIGURES])

        def read_rows(split: str, columns: Sequence[str], rows: Array | None) -> pa.Table:
            # Types as they are: the schema may want other ones, which is then a finding.
            return read_examples(examples, split, inputs.observed_schema, columns, rows)

        figures = make_data_figures(inputs, read_rows)
        write_figures(os.path.join(output, ArtifactFile.DATA_FIGURES), figures)
