"""Checks other sections against the engine, whose workers are other machines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pipeline.config.base import Key, RuleError
from pipeline.config.sections.beam import find_unknown_flags

if TYPE_CHECKING:
    from pipeline.config.root import Config


def find_broken_by_engine(config: Config) -> Iterator[RuleError]:
    """Yields an error for each key that contradicts `engine`, and for each unknown Beam flag."""
    kind = config.engine.kind
    if kind == "dataflow" or (kind == "local" and config.beam.is_local()):
        # Job servers have flags of their own, which only they know.
        yield from find_unknown_flags(config.beam)
    if kind == "local":
        return
    if kind == "dataflow":
        yield RuleError(
            ("engine", "kind"),
            "Dataflow's workers mount no volume, and the files of a run must lie on a file system "
            "that all workers see: a job would be paid for and fail. Set engine.kind to flink, "
            "spark or local",
        )
    for flag in config.beam.args:
        if flag.startswith("--runner"):
            yield RuleError(
                ("beam", "args"),
                f"{flag} contradicts engine.kind {kind}, which chooses the runner; remove the "
                "flag, or set engine.kind=local",
            )
    for key, paths in _paths_of_workers(config):
        for path in paths:
            if not os.path.isabs(path) and "://" not in path:
                yield RuleError(
                    key,
                    f"the workers of engine.kind {kind} have other working directories, so the "
                    f"path must be absolute and on storage that all workers see, not {path!r}",
                )
    if kind == "dataflow" and not config.name[0].isalpha():
        yield RuleError(("name",), "names of Dataflow's jobs begin with a letter; rename it")


def _paths_of_workers(config: Config) -> Iterator[tuple[Key, Sequence[str]]]:
    """Yields the keys that name what workers read or write, each with its paths."""
    yield ("data", "path"), config.data.path
    if config.serving.directory is not None:
        yield ("serving", "directory"), (config.serving.directory,)
    if config.prediction is not None:
        yield ("prediction", "input"), config.prediction.input
        yield ("prediction", "output"), (config.prediction.output,)
