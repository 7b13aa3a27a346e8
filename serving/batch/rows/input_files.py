"""The input files of a prediction, with keys that tell whether their predictions are valid."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from components.served_model.keys import hash_texts
from components.tables.fingerprint import compute_fingerprint, resolve_paths
from pipeline.config import DataConfig
from pipeline.core.code_digest import code_digest
from pipeline.core.errors import ConfigError
from pipeline.core.files import NO_ADDRESS, is_remote
from serving.batch.task import Task

_PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""


@dataclass(frozen=True)
class InputFile:
    """A file to score."""

    path: str
    name: str
    """The path below the common folder of all files; the names of its output files begin so."""
    source: Literal["csv", "parquet"]
    key: str
    """Identifies all that the predictions depend on: file, model, settings and code."""
    stamp: tuple[int, int]
    """Size and time of the last change, which tell whether the file is changed meanwhile."""

    def data(self, task: Task) -> DataConfig:
        """Returns how the file is read."""
        return task.data_config.model_copy(update={"source": self.source})

    def has_changed(self) -> bool:
        """Whether the file was changed after `find_input_files` had read it."""
        return self.stamp != _stamp(Path(self.path))


def find_input_files(task: Task) -> list[InputFile]:
    """Returns the files that match `task.inputs`, sorted by path.

    Raises:
      ConfigError: no file matches, a file cannot be read, or the output directory holds a file.
    """
    paths = [Path(os.path.abspath(path)) for path in _resolve(task)]
    _refuse_inputs_below(task.output, paths)
    root = os.path.commonpath([path.parent for path in paths])
    base = _make_key(task)
    return [
        InputFile(
            path=str(path),
            name=os.path.relpath(path, root),
            source="parquet" if _is_parquet(path) else "csv",
            stamp=_stamp(path),
            key=hash_texts(base, compute_fingerprint([path])),
        )
        for path in paths
    ]


def _resolve(task: Task) -> Sequence[Path]:
    for pattern in filter(is_remote, task.inputs):
        raise ConfigError(f"--input: {NO_ADDRESS.format(pattern)}")
    data = task.data_config.model_copy(update={"path": task.inputs})
    try:
        return [path for path in resolve_paths(data)[0] if isinstance(path, Path)]
    except ConfigError as error:
        raise ConfigError(error.message.replace("data.path", "--input"), error.hint) from None


def _refuse_inputs_below(output: str, paths: Iterable[Path]) -> None:
    for path in paths:
        if path.resolve().is_relative_to(Path(output).resolve()):
            raise ConfigError(
                f"--output {output}: holds the input file {path}",
                "name a directory of its own, so that predictions are never read as input",
            )


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_PARQUET)) == _PARQUET
    except OSError as error:
        raise ConfigError(f"--input: {path} cannot be read: {error.strerror}") from None


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _make_key(task: Task) -> str:
    """Returns the part of the key that all files share."""
    model = [path for path in sorted(Path(task.model).rglob("*")) if path.is_file()]
    settings = json.dumps(task.describe_result(), sort_keys=True)
    return hash_texts(
        compute_fingerprint(model), settings, code_digest("serving.batch.file_scoring")
    )
