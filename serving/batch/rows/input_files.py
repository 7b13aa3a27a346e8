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
from components.tables.sources.table_path import TablePath, open_bytes
from pipeline.config import DataConfig
from pipeline.core.code_digest import code_digest
from pipeline.core.errors import ConfigError
from pipeline.core.files import NO_ADDRESS, is_remote
from pipeline.core.stores.address import is_store_address, parse_address
from pipeline.core.stores.listing import StoreObject
from pipeline.core.stores.waiting import map_requests
from serving.batch.task import Task

_PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""


@dataclass(frozen=True)
class InputFile:
    """A file to score, on this machine or in an object store."""

    path: TablePath
    name: str
    """The path below the common folder of all files; the names of its output files begin so."""
    source: Literal["csv", "parquet"]
    key: str
    """Identifies all that the predictions depend on: file, model, settings and code."""
    stamp: tuple[int, int] | None
    """Size and time of the last change, which tell whether the file is changed meanwhile; None for
    an object, of which each request has the condition that it is the same."""

    def data(self, task: Task) -> DataConfig:
        """Returns how the file is read."""
        return task.data_config.model_copy(update={"source": self.source})

    def has_changed(self) -> bool:
        """Whether the file was changed after `find_input_files` had read it."""
        return self.stamp != _stamp(self.path)


def find_input_files(task: Task) -> list[InputFile]:
    """Returns the files that match `task.inputs`, sorted by path.

    Raises:
      ConfigError: no file matches, a file cannot be read, or the output directory holds a file.
    """
    paths = [_make_absolute(path) for path in _resolve(task)]
    _refuse_inputs_below(task.output, paths)
    base = _make_key(task)
    sources = map_requests(_find_source, paths)
    return [
        InputFile(
            path=path,
            name=name,
            source=source,
            stamp=_stamp(path),
            key=hash_texts(base, compute_fingerprint([path])),
        )
        for path, name, source in zip(paths, _name_files(paths), sources, strict=True)
    ]


def _resolve(task: Task) -> Sequence[TablePath]:
    for pattern in filter(is_remote, task.inputs):
        if not is_store_address(pattern):
            raise ConfigError(f"--input: {NO_ADDRESS.format(pattern)}")
    data = task.data_config.model_copy(update={"path": task.inputs})
    try:
        return resolve_paths(data)[0]
    except ConfigError as error:
        raise ConfigError(error.message.replace("data.path", "--input"), error.hint) from None


def _make_absolute(path: TablePath) -> TablePath:
    return Path(os.path.abspath(path)) if isinstance(path, Path) else path


def _name_files(paths: Sequence[TablePath]) -> list[str]:
    """Returns the paths below the common folder.

    Stores and buckets count as folders. So files of several stores, or of a store and this machine,
    never have one name.
    """
    places = [
        f"/{path.address.scheme}/{path.address.host}/{path.address.key}"
        if isinstance(path, StoreObject)
        else f"/file{path}"
        for path in paths
    ]
    root = os.path.commonpath(map(os.path.dirname, places))
    return [os.path.relpath(place, root) for place in places]


def _refuse_inputs_below(output: str, paths: Iterable[TablePath]) -> None:
    for path in paths:
        if _is_below(path, output):
            raise ConfigError(
                f"--output {output}: holds the input file {path}",
                "name a directory of its own, so that predictions are never read as input",
            )


def _is_below(path: TablePath, output: str) -> bool:
    if is_store_address(output):
        return isinstance(path, StoreObject) and path.address.is_below(parse_address(output))
    return isinstance(path, Path) and path.resolve().is_relative_to(Path(output).resolve())


def _find_source(path: TablePath) -> Literal["csv", "parquet"]:
    try:
        with open_bytes(path) as file:
            return "parquet" if file.read(len(_PARQUET)) == _PARQUET else "csv"
    except OSError as error:
        raise ConfigError(f"--input: {path} cannot be read: {error.strerror}") from None


def _stamp(path: TablePath) -> tuple[int, int] | None:
    if isinstance(path, StoreObject):
        return None
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _make_key(task: Task) -> str:
    """Returns the part of the key that all files share."""
    model = [path for path in sorted(Path(task.model).rglob("*")) if path.is_file()]
    settings = json.dumps(task.describe_result(), sort_keys=True)
    return hash_texts(
        compute_fingerprint(model), settings, code_digest("serving.batch.file_scoring")
    )
