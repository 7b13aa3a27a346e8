"""The record of a run: its configuration and everything outside of it that decides the result.

The run writes the record first. So a run that is killed has one, too.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from components.tables.fingerprint import resolve_paths
from components.tables.sources.table_path import size_of
from pipeline.config import Config, load_config
from pipeline.config.secrets import mask_assignments, mask_secrets
from pipeline.config.yaml_text import to_yaml
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically
from pipeline.core.text import readable_json
from pipeline.report.content import DataFile
from pipeline.runners.reporting.reading.machine import read_hardware, read_versions


@dataclass(frozen=True)
class RunRecord:
    """What a run was started from, beside its configuration."""

    arguments: tuple[str, ...]
    """Of the command as the user gave it, such as run, --config and my.yaml; secrets are masked."""
    directory: str
    """The working directory, at which relative paths of the configuration start."""
    data_files: tuple[DataFile, ...]
    """The files that matched `data.path`; empty for a query."""
    versions: Mapping[str, str]
    """By package."""
    hardware: Mapping[str, str]


def write_record(run: Path, config: Config, arguments: Sequence[str]) -> None:
    """Writes the record and the configuration to the run's directory of logs, atomically."""
    content = config.model_dump(mode="json", by_alias=True)
    text = to_yaml(mask_secrets(content))
    write_text_atomically(run / RunFile.CONFIGURATION, text, durable=False)
    record = RunRecord(
        arguments=mask_assignments(arguments),
        directory=str(Path.cwd()),
        data_files=list_data_files(config),
        versions=read_versions(),
        hardware=read_hardware(),
    )
    text = readable_json(dataclasses.asdict(record))
    write_text_atomically(run / RunFile.RECORD, text, durable=False)


def read_record(run: Path) -> RunRecord | None:
    """Returns the record, or None if an earlier version ran, or if the file is damaged."""
    try:
        content = json.loads((run / RunFile.RECORD).read_bytes())
        return TypeAdapter(RunRecord).validate_python(content)
    except (OSError, ValueError, ValidationError):
        return None


def read_configuration(run: Path) -> tuple[str, Config | None]:
    """Returns the configuration as YAML and as an object; "" and None if the run wrote none.

    A configuration that this version refuses has the text alone.
    """
    path = run / RunFile.CONFIGURATION
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return "", None
    try:
        return text, load_config([path])
    except ConfigError:
        return text, None


def list_data_files(config: Config) -> tuple[DataFile, ...]:
    """Returns the files that match `data.path`; none for a query."""
    if config.data.source == "bigquery":
        return ()
    paths, _ = resolve_paths(config.data)
    return tuple(DataFile(str(path), size_of(path)) for path in paths)
