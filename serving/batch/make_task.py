"""Makes the task of a prediction from the section `prediction` and the options of the command."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from components.beam_mode import leaves_mode_open
from pipeline.config import Config, DataConfig
from pipeline.config.addresses import check_folder, check_path
from pipeline.config.engine.beam_flags import list_own_flags, list_shared_flags
from pipeline.config.sections.serving import PredictionConfig
from pipeline.core.contracts import Node
from pipeline.core.errors import ConfigError
from pipeline.core.files import is_remote
from serving.batch.results.row_limit import RowLimit
from serving.batch.task import ALL_COLUMNS, Task
from serving.processes.messages import Version


def make_task(config: Config | None, model: Version, options: Mapping[str, Any]) -> Task:
    """Returns the task; an option that is None or empty has the value of the configuration.

    Args:
      config: of the model; None for a model without one, whose files are read with the defaults.
      options: `inputs`, `output`, `key`, `columns`, `form`, `prefix`, `max_bad_rows`, `overwrite`.

    Raises:
      ConfigError: the input or the output is not named, or is a wrong address, or the limit cannot
        be read.
    """
    section = config.prediction if config else None
    inputs = options["inputs"] or (section.input if section else ())
    output = options["output"] or (section.output if section else None)
    if not inputs or not output:
        missing = "--output" if inputs else "--input"
        raise ConfigError(f"{missing} is missing", "give it, or set it in the section `prediction`")
    return describe_task(
        data=config.data if config else DataConfig(path="-"),
        model=model,
        section=PredictionConfig(
            input=tuple(_check("--input", check_path, path) for path in inputs),
            output=_check("--output", check_folder, str(output)),
            key=options["key"] or (section and section.key),
            columns=options["columns"] or (section and section.columns),
            format=options["form"] or (section.format if section else "parquet"),
            prefix=options["prefix"] or (section.prefix if section else ""),
            max_bad_rows=_check_limit(options["max_bad_rows"])
            or (section and section.max_bad_rows),
        ),
        overwrite=options["overwrite"],
        beam=_beam_flags(config) if config else None,
    )


def describe_task(
    data: DataConfig,
    model: Version,
    section: PredictionConfig,
    overwrite: bool = False,
    beam: Sequence[str] | None = None,
) -> Task:
    """Returns the task of a section `prediction`.

    Args:
      beam: Beam's flags, which say whether Beam does the work.
    """
    columns = section.columns
    if columns is None:
        columns = () if section.key else (ALL_COLUMNS,)
    return Task(
        inputs=tuple(map(_make_absolute, section.input)),
        output=_make_absolute(section.output),
        model=model.directory,
        version=model.version,
        data=data.model_dump_json(),
        key=section.key,
        columns=tuple(columns),
        format=section.format,
        prefix=section.prefix,
        max_bad_rows=section.max_bad_rows or "",
        overwrite=overwrite,
        beam=None if beam is None or leaves_mode_open(beam) else tuple(beam),
    )


def _check(option: str, check: Callable[[str], str], path: str) -> str:
    try:
        return check(path)
    except ValueError as error:
        raise ConfigError(f"{option}: {error}") from None


def _make_absolute(path: str) -> str:
    return path if is_remote(path) else os.path.abspath(path)


def _beam_flags(config: Config) -> tuple[str, ...]:
    """Returns the flags that the component BatchPredictor has, too."""
    return (*list_shared_flags(config), *list_own_flags(config, Node.BATCH_PREDICTOR))


def _check_limit(text: str | None) -> str | None:
    if text is not None:
        RowLimit.parse(text, has_key=False)
    return text
