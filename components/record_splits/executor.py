"""What the executors of all ExampleGens of records share: splits, counts, and their checks."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import apache_beam as beam
from tfx import types
from tfx.components.example_gen import base_example_gen_executor
from tfx.dsl.io import fileio
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils, standard_component_specs
from tfx.utils import proto_utils

from components.beam_workers import guard_beam_workers
from components.custom_config_text import unpack_text
from components.record_splits.settings import RecordSettings
from components.record_splits.splitting import Tally, split_records
from components.tables.splitting.split_record import explain_new_split
from components.tables.splitting.unseen_classes import (
    describe_unseen_classes,
    find_unseen_classes,
)
from pipeline.core.contracts import Property
from pipeline.core.errors import ConfigError, DataError
from pipeline.core.text import counted

_MOST_SHOWN = 3
_TALLY = "tally.json"
"""The file in the artifact's directory to which Beam's workers write the counts."""


class SplittingExecutor(base_example_gen_executor.BaseExampleGenExecutor):
    """Splits the records that a subclass reads, and checks the labels' number.

    `custom_config` holds the RecordSettings.
    """

    def GenerateExamplesByBeam(
        self, pipeline: beam.Pipeline, exec_properties: dict[str, Any]
    ) -> dict[str, beam.PCollection]:
        """Returns the records of each split, by the rules of `split_records`."""
        config = example_gen_pb2.Input()
        proto_utils.json_to_proto(
            exec_properties[standard_component_specs.INPUT_CONFIG_KEY], config
        )
        settings = RecordSettings.from_json(unpack_text(exec_properties))
        # TFX's executor of BigQuery would take the settings for its own.
        own = {
            **exec_properties,
            "_beam_pipeline_args": self._beam_pipeline_args or [],
            standard_component_specs.CUSTOM_CONFIG_KEY: None,
        }
        read = self.GetInputSourceToExamplePTransform()
        records = pipeline | "InputToRecord" >> read(own, config.splits[0].pattern)
        return split_records(records, settings, exec_properties[_TALLY])

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        """Writes the splits, and counts them on the artifact.

        Raises:
          ConfigError: no record has the feature of data.split.column.
          DataError: a split is empty, too many records have no label, a label is not one of
            label.classes, or all records of split train have one class.
        """
        artifacts = output_dict[standard_component_specs.EXAMPLES_KEY]
        examples = artifact_utils.get_single_instance(artifacts)
        path = os.path.join(examples.uri, _TALLY)
        guard_beam_workers()
        super().Do(input_dict, output_dict, {**exec_properties, _TALLY: path})
        with fileio.open(path, "rb") as file:
            tally = Tally.from_json(file.read().decode())
        fileio.remove(path)
        settings = RecordSettings.from_json(unpack_text(exec_properties))
        unseen = check_tally(tally, settings)
        _set_properties(examples, tally, settings, unseen)


def check_tally(tally: Tally, settings: RecordSettings) -> tuple[str, ...]:
    """Returns the classes that no record of split train has.

    Raises ConfigError or DataError for counts with which no model can be trained.
    """
    column = settings.split.column
    if column is not None and column not in tally.names:
        names = ", ".join(tally.names)
        raise ConfigError(
            f"data.split.column: no record has the feature '{column}'", f"they have {names}"
        )
    total = sum(tally.rows.values()) + tally.without_label
    if tally.without_label > settings.max_missing * total or tally.without_label == total:
        share = tally.without_label / max(total, 1)
        raise DataError(
            f"label '{settings.label}': {tally.without_label} of {total} records have no label, "
            f"{share:.2%}; label.max_missing allows {settings.max_missing:.2%}",
            "raise label.max_missing to leave these records out",
        )
    if tally.unknown_labels:
        raise _unknown_label_error(tally, settings)
    if empty := [name for name, rows in tally.rows.items() if not rows]:
        raise DataError(
            f"data.split.{empty[0]}: no record falls into it, the split is empty",
            f"raise data.split.{empty[0]}, set another data.split.seed, or add records",
        )
    return find_unseen_classes(settings.label, settings.classes, tally.found, tally.trained)


def _unknown_label_error(tally: Tally, settings: RecordSettings) -> DataError:
    # The loss and the metrics would count such a record as one of the first class.
    found = sorted(tally.unknown_labels.items(), key=lambda entry: -entry[1])
    shown = ", ".join(f"{label!r} in {rows}" for label, rows in found[:_MOST_SHOWN])
    more = f" and {len(found) - _MOST_SHOWN} more labels" if len(found) > _MOST_SHOWN else ""
    return DataError(
        f"label '{settings.label}': {shown}{more} of {sum(tally.rows.values())} records "
        f"{'is' if len(found) == 1 else 'are'} not one of label.classes",
        f"label.classes are {', '.join(map(repr, settings.classes))}: correct them or the records",
    )


def _set_properties(
    examples: types.Artifact, tally: Tally, settings: RecordSettings, unseen: Sequence[str]
) -> None:
    examples.set_string_custom_property(Property.ROWS, json.dumps(tally.rows))
    examples.set_int_custom_property(Property.ROWS_WITHOUT_LABEL, tally.without_label)
    plan = settings.plan_split(tally.names)
    examples.set_string_custom_property(Property.SPLIT, plan.to_json())
    notes = [explain_new_split(settings.reference, plan), describe_unseen_classes(unseen)]
    if tally.without_label:
        notes.append(f"{counted(tally.without_label, 'row')} without a label left out")
    if note := "; ".join(filter(None, notes)):
        examples.set_string_custom_property(Property.NOTE, note)
