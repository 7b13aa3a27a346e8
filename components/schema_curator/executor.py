"""Executor of SchemaCurator: reads schema, statistics and reference, writes the curated schema."""

from __future__ import annotations

import os
from typing import Any

from tensorflow_metadata.proto.v0 import schema_pb2
from tfx import types
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils
from tfx.utils import io_utils

from components.schema_curator.column_settings import take_columns_from
from components.schema_curator.curate import Origin, curate_schema
from components.schema_curator.rules import CurationRules
from components.statistics_view.column_summary import summarize_columns
from components.statistics_view.reference import (
    Reference,
    read_reference,
    read_schema,
    read_statistics,
)
from pipeline.core.contracts import ArtifactFile


class Executor(base_executor.BaseExecutor):
    """Curates the input schema, or the schema of the served model instead of an inferred one."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        inputs = {key: artifact_utils.get_single_uri(value) for key, value in input_dict.items()}
        rules = CurationRules.model_validate_json(exec_properties["rules"])
        reference = read_reference(inputs["reference"], rules.reference)
        base, origin = choose_base(read_schema(inputs["given_schema"]), reference, rules)
        observed = summarize_columns(read_statistics(inputs["statistics"]).values())
        known = summarize_columns(reference.statistics.values()) if reference else observed
        output = artifact_utils.get_single_uri(output_dict["schema"])
        io_utils.write_pbtxt_file(
            os.path.join(output, ArtifactFile.SCHEMA),
            curate_schema(base, origin, observed, known, rules),
        )


def choose_base(
    given: schema_pb2.Schema, reference: Reference | None, rules: CurationRules
) -> tuple[schema_pb2.Schema, Origin]:
    """Returns the schema to curate: from git, else of the served model, else the inferred schema.

    The inferred schema describes the data that it would check, and so finds nothing. It is used
    only if nothing is served, or if the configuration refuses the served model as reference.
    """
    if rules.imported:
        return given, "git"
    if reference is not None:
        anew = [name for name in rules.own if rules.is_inferred_anew(name)]
        return take_columns_from(given, reference.schema, anew), "served"
    return given, "inferred"
