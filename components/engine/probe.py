"""A small job that finds out, before any work, whether an engine's workers fit the run.

Only the workers can say which files they see and which code they have. They answer by the names of
counters, since a worker that does not see the run's directory could write no file there.

A worker looks for the table as ExampleGen does, and not with Beam's file systems: these know other
stores and other patterns.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
import logging
import os
import platform
import secrets
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam
from apache_beam.options.pipeline_options import FlinkRunnerOptions, PipelineOptions
from apache_beam.runners.runner import PipelineState

from components.engine.readiness import read_flink_overview
from components.tables.fingerprint import resolve_paths
from pipeline.config import DataConfig
from pipeline.config.engine.section import EngineConfig
from pipeline.core.code_digest import code_digest
from pipeline.core.errors import ConfigError, PipelineError, as_pipeline_error

_SECONDS = 180
"""For the whole job: a worker's first Python process imports Beam and TensorFlow meanwhile."""
_LOOKS_A_SLOT = 4
"""Elements for each part of the job, so that nearly every worker gets one."""
_NAMESPACE = "engine.probe"
_EXECUTORS = tuple(
    f"components.{component}.executor"
    for component in (
        "batch_predictor",
        "columnar_example_gen",
        "evaluator",
        "query_example_gen",
        "record_example_gen",
        "statistics_gen",
        "transform",
    )
)
"""The components that give work to workers; the digest covers all that these modules import."""

View = Mapping[str, Any]
"""What one worker is and sees.

`host`, `python`, `beam`, `tensorflow` and `code` are text. `sees_run` is whether the worker sees
the run's directory. `table` is empty, or the error of looking for the table as JSON.
"""


def probe_engine(
    engine: EngineConfig, flags: Sequence[str], data: DataConfig | None, directory: str
) -> None:
    """Runs a small job on the engine, and compares its workers with this machine.

    Args:
      flags: Beam's, of all components.
      data: the table that the workers read; None if they read none.
      directory: where the run's artifacts go; it is made if it is missing.

    Raises:
      ConfigError: the engine's version does not go with Beam's; no worker answers; or a worker has
        other versions, other code, or does not see the directory or the table.
    """
    if engine.kind not in ("flink", "spark"):
        return
    _check_flink_version(engine)
    if not engine.probe:
        return
    marker = Path(directory, f".engine-{secrets.token_hex(8)}")
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    try:
        views = _look_around(engine, flags, str(marker), data.model_dump_json() if data else "")
    finally:
        marker.unlink(missing_ok=True)
    if not views:
        logging.warning("The workers of the engine are not checked: the job left no counters")
    own = describe_worker()
    for view in views:
        _compare(view, own, directory, engine)


def _check_flink_version(engine: EngineConfig) -> None:
    """Raises ConfigError if this Beam has no job server for the cluster's version of Flink."""
    if engine.kind != "flink" or engine.page is None:
        return
    version = read_flink_overview(engine.page).version
    known = FlinkRunnerOptions.PUBLISHED_FLINK_VERSIONS
    if ".".join(version.split(".")[:2]) not in known:
        raise ConfigError(
            f"engine.page: the cluster at {engine.page} is Flink {version}, and Beam "
            f"{beam.__version__} works with Flink {', '.join(known)}",
            "take a cluster of one of these versions, and the job server of the same version",
        )


def _look_around(engine: EngineConfig, flags: Sequence[str], marker: str, data: str) -> list[View]:
    """Returns what the workers are and see."""
    pipeline = beam.Pipeline(options=PipelineOptions([*flags]))
    elements = range(_LOOKS_A_SLOT * (engine.parallelism or 1))
    _ = (
        pipeline
        | "Elements" >> beam.Create(elements)
        | "Spread" >> beam.Reshuffle()
        | "Look" >> beam.Map(functools.partial(look, marker=marker, data=data))
    )
    try:
        result = pipeline.run()
        state = result.wait_until_finish(duration=_SECONDS * 1000)
    except PipelineError as error:
        raise ConfigError(
            f"engine: a first small job failed: {error.message}",
            "the workers need the Python version, the packages and the code of this run, in the "
            f"worker pool at {engine.pool_address}. {error.hint}".strip(),
        ) from error
    if not PipelineState.is_terminal(state):
        result.cancel()
        raise ConfigError(
            f"engine: a first small job has not ended after {_SECONDS} seconds",
            f"does a worker pool answer at {engine.pool_address}, as each worker sees the address? "
            "Does the engine have free slots? Its page and its log tell what the job waits for",
        )
    return list(_read_views(result.metrics()))


def _read_views(metrics: Any) -> Iterator[View]:
    for counter in metrics.query()["counters"]:
        if counter.key.metric.namespace == _NAMESPACE:
            yield json.loads(counter.key.metric.name)


def look(element: int, marker: str, data: str) -> None:
    """Counts, in a worker, one look with what the worker is and sees.

    Args:
      marker: a file in the run's directory.
      data: the section `data` as JSON, or empty text. Workers with other code can read JSON.
    """
    name = json.dumps({**describe_worker(), **_look_once(marker, data)}, sort_keys=True)
    beam.metrics.Metrics.counter(_NAMESPACE, name).inc()


# The marker has another name in each run: no run gets the answer of an earlier run.
@functools.lru_cache(maxsize=1)
def _look_once(marker: str, data: str) -> dict[str, Any]:
    return {"sees_run": os.path.isfile(marker), "table": find_table_error(data) if data else ""}


def find_table_error(data: str) -> str:
    """Returns why this process does not find the files of the table, as JSON; or empty text."""
    try:
        resolve_paths(DataConfig.model_validate_json(data))
    except Exception as error:
        return as_pipeline_error(error).to_json()
    return ""


@functools.cache
def describe_worker() -> dict[str, Any]:
    """Returns what this process is: its host, its versions and the digest of its code."""
    return {
        "host": socket.gethostname(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "beam": importlib.metadata.version("apache-beam"),
        "tensorflow": importlib.metadata.version("tensorflow"),
        "code": code_digest(*_EXECUTORS),
    }


def _compare(view: View, own: View, directory: str, engine: EngineConfig) -> None:
    host = view["host"]
    if not view["sees_run"]:
        raise ConfigError(
            f"engine: the worker on {host} does not see {directory}",
            "artifacts must be on storage that this machine and all workers see under the same "
            "path: mount it on the workers, or choose another path with --output; if --output is "
            "an address, with the variable XDG_CACHE_HOME. The workers are those of "
            f"engine.kind {engine.kind}",
        )
    for key, what in (("python", "Python"), ("beam", "Beam"), ("tensorflow", "TensorFlow")):
        if view[key] != own[key]:
            raise ConfigError(
                f"engine: the worker on {host} has {what} {view[key]}, this machine {own[key]}",
                "workers and this machine need the same image, or the same lock of packages",
            )
    if view["code"] != own["code"]:
        raise ConfigError(
            f"engine: the worker on {host} has other code of this project than this machine",
            "start the worker pools again with the code of this run, or from its image",
        )
    if view["table"]:
        raise _explain_unseen_table(host, PipelineError.from_json(view["table"]))


def _explain_unseen_table(host: str, error: PipelineError) -> ConfigError:
    return ConfigError(
        f"engine: the worker on {host} does not see the table: {error.message}",
        f"on the workers: {error.hint}"
        if error.hint
        else "mount the table's storage on the workers under the same path, choose another "
        "data.path, or read the table on this machine: "
        "--set beam.components.ExampleGen=[--runner=DirectRunner]",
    )
