"""Passes Parquet rows to TFDV without Beam, where one machine does the work.

With Beam on one machine, three quarters of the time are Beam's own: it plans and pickles for every
split, and passes each distinct text around as a Python object.
"""

from __future__ import annotations

import os
from typing import Any

import tensorflow_data_validation as tfdv
from tfx import types
from tfx.components.statistics_gen import executor
from tfx.components.util import examples_utils
from tfx.dsl.io import fileio
from tfx.proto import example_gen_pb2
from tfx.types import artifact_utils, standard_component_specs

from components.beam_mode import leaves_mode_open
from components.beam_workers import guard_beam_workers
from components.statistics_gen.statistics import compute_statistics


class Executor(executor.Executor):
    """Computes statistics of Parquet examples without Beam.

    TFX's executor takes over for TFRecords, and if the configuration sets a runner or a running
    mode of Beam.
    """

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        examples = artifact_utils.get_single_instance(
            input_dict[standard_component_specs.EXAMPLES_KEY]
        )
        is_parquet = examples_utils.get_payload_format(examples) == example_gen_pb2.FORMAT_PARQUET
        if not is_parquet or not leaves_mode_open(self._beam_pipeline_args):
            guard_beam_workers()
            super().Do(input_dict, output_dict, exec_properties)
            return
        options = tfdv.StatsOptions.from_json(
            exec_properties[standard_component_specs.STATS_OPTIONS_JSON_KEY]
        )
        statistics = artifact_utils.get_single_instance(
            output_dict[standard_component_specs.STATISTICS_KEY]
        )
        statistics.split_names = examples.split_names
        statistics.span = examples.span
        for split in artifact_utils.decode_split_names(examples.split_names):
            source = artifact_utils.get_split_uri([examples], split)
            files = sorted(fileio.glob(os.path.join(source, "*")))
            target = artifact_utils.get_split_uri([statistics], split)
            fileio.makedirs(target)
            with fileio.open(os.path.join(target, executor.DEFAULT_FILE_NAME), "wb") as file:
                file.write(compute_statistics(files, options).SerializeToString())
