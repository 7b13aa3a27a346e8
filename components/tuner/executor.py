"""Runs the search and writes its results in the format of TFX's own Tuner."""

from __future__ import annotations

import json
import os
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tfx import types
from tfx.components.trainer.fn_args_utils import FnArgs, get_common_fn_args
from tfx.dsl.components.base import base_executor
from tfx.types import artifact_utils, standard_component_specs
from tfx.utils import io_utils

from components.served_model.keys import hash_texts
from components.tuner.oracle import make_oracle
from components.tuner.results import BEST_FILE
from components.tuner.search import Search
from components.tuner.trial import TrialJob
from components.tuner.trial_process import TrialProcess
from pipeline.config import TrainingConfig, TuningConfig
from pipeline.core.contracts import ArtifactFile, CustomConfigKey
from pipeline.core.events import SearchResults, to_json
from pipeline.core.files import file_sizes
from pipeline.core.ownership import SEARCHING, own_backup

_NOT_IN_KEY = (CustomConfigKey.BACKUP_DIRECTORY, CustomConfigKey.TUNING)
"""Entries of `custom_config` that `_compute_key` leaves out or reads by itself."""


class Executor(base_executor.BaseExecutor):
    """Runs a `Search`, whose trials are processes, and writes the best values and the table."""

    def Do(
        self,
        input_dict: dict[str, list[types.Artifact]],
        output_dict: dict[str, list[types.Artifact]],
        exec_properties: dict[str, Any],
    ) -> None:
        arguments = get_common_fn_args(input_dict, exec_properties)
        function = exec_properties[standard_component_specs.TUNER_FN_KEY]
        results = _search(arguments, function)
        best = output_dict[standard_component_specs.BEST_HYPERPARAMETERS_KEY]
        table = output_dict[standard_component_specs.TUNER_RESULTS_KEY]
        _write(best, BEST_FILE, json.dumps(results.best_values, indent=1))
        _write(table, ArtifactFile.TUNER_RESULTS, json.dumps(to_json(results), indent=1))


def _search(arguments: FnArgs, function: str) -> SearchResults:
    """Runs the search of the tuning section; `function` is the path of the trial's function.

    Raises:
      ConfigError: another run does the same search.
    """
    sections = arguments.custom_config
    tuning = TuningConfig.model_validate_json(sections[CustomConfigKey.TUNING])
    training = TrainingConfig.model_validate_json(sections[CustomConfigKey.TRAINING])
    job = TrialJob(
        function=function,
        inputs={
            "train_files": arguments.train_files,
            "eval_files": arguments.eval_files,
            "transform_graph_path": arguments.transform_graph_path,
            "custom_config": sections,
            "base_model": arguments.base_model,
        },
        epochs=tuning.epochs or training.epochs,
    )
    backups = sections[CustomConfigKey.BACKUP_DIRECTORY]
    name = f"search-{_compute_key(arguments, tuning)}"
    with (
        tempfile.TemporaryDirectory(prefix="oracle-") as scratch,
        own_backup(backups, name, SEARCHING) as lock,
    ):
        start = partial(
            TrialProcess,
            parallel=tuning.parallel,
            stall_seconds=training.recovery.stall_seconds,
            lock=lock,
        )
        oracle = make_oracle(tuning, job.epochs, scratch)
        return Search(tuning, oracle, job, Path(backups, name), start).run()


def _compute_key(arguments: FnArgs, tuning: TuningConfig) -> str:
    """Returns a digest of everything that the trials depend on.

    `tuning.parallel` does not count: an interrupted search may continue with more processes.
    """
    sections = {k: v for k, v in arguments.custom_config.items() if k not in _NOT_IN_KEY}
    folders = [os.path.dirname(p) for p in (*arguments.train_files, *arguments.eval_files)]
    folders += [arguments.base_model] if arguments.base_model else []
    return hash_texts(
        tuning.model_copy(update={"parallel": 1}).to_json(),
        *(f"{name}={text}" for name, text in sorted(sections.items())),
        *(f"{folder}: {sorted(file_sizes(folder).items())}" for folder in folders),
    )


def _write(artifacts: list[types.Artifact], name: str, text: str) -> None:
    path = os.path.join(artifact_utils.get_single_uri(artifacts), name)
    io_utils.write_string_file(path, text)
