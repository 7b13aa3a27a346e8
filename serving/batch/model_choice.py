"""Chooses the model of a prediction: the served version, another version, or a directory."""

from __future__ import annotations

from pathlib import Path

from components.served_model.store.local_copy import LocalCopy
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import is_store_address
from serving.processes.messages import Version
from serving.processes.sources import open_source


def choose_model(serving: Path | None, asked: str | None) -> Version:
    """Returns the version to predict with, and its directory as an absolute path.

    Args:
      serving: the serving directory, if the command names one.
      asked: the number of a version in it, or the path of a SavedModel, or path or address of a
        serving directory; None for the served version.

    Raises:
      ConfigError: there is no such model, or its files are not whole.
    """
    if asked is None:
        if serving is None:
            raise ConfigError("give --config, --workspace or --model")
        chosen = open_source(serving).read()
    elif serving is not None and asked.isdigit():
        chosen = _find_version(serving, asked)
    elif is_store_address(asked):
        from components.served_model.store.cache import open_cache

        chosen = open_source(Path(open_cache(asked))).read()
    else:
        chosen = open_source(Path(asked)).read()
    return Version(chosen.version, str(Path(chosen.directory).absolute()), chosen.statistics)


def _find_version(serving: Path, number: str) -> Version:
    directory = serving / number
    if LocalCopy.find(str(serving)):
        from components.served_model.store.refreshing import refresh

        refresh(str(serving), "served", [number])
    if (directory / ArtifactFile.SAVED_MODEL).exists():
        return open_source(directory).read()
    others = sorted(path.name for path in serving.glob("*") if path.name.isdigit())
    raise ConfigError(
        f"--model {number}: {serving} has no such version",
        f"its versions are {', '.join(others)}" if others else "it has no versions yet",
    )
