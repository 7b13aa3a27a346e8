"""Asks an engine whether it can work, before a run does anything.

Without this check Beam waits a minute for a job server that is not there, and Flink waits for ever
for slots that it does not have. The module imports no Beam: the command asks before it starts.
"""

from __future__ import annotations

import socket

from components.engine.flink_page import FlinkPage, Overview
from pipeline.config.engine.section import EngineConfig
from pipeline.core.errors import ConfigError

_SECONDS = 5.0
"""For a connection, and for the first answer of gRPC: both take milliseconds in one network."""
_OFF = "or work on this machine: --set engine.kind=local"


def check_engine(engine: EngineConfig) -> None:
    """Asks the job server and the engine's page.

    Raises:
      ConfigError: one of them does not answer, or the engine has fewer slots than
        `engine.parallelism`.
    """
    if engine.endpoint is not None and engine.kind in ("flink", "spark"):
        _check_endpoint(engine.kind, engine.endpoint)
    if engine.page is not None and engine.kind == "flink":
        _check_flink(engine, engine.page)


def _check_endpoint(kind: str, endpoint: str) -> None:
    host, _, port = endpoint.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except OSError as error:
        raise ConfigError(
            f"engine.endpoint: no job server answers at {endpoint}: {error.strerror or error}",
            f"start Beam's job server for {kind} there, name another one, {_OFF}",
        ) from error
    if not _speaks_grpc(endpoint):
        raise ConfigError(
            f"engine.endpoint: what answers at {endpoint} is no job server: it speaks no gRPC",
            f"name the job port of Beam's job server (8099 unless set), {_OFF}",
        )


def _speaks_grpc(endpoint: str) -> bool:
    import grpc

    with grpc.insecure_channel(endpoint) as channel:
        try:
            grpc.channel_ready_future(channel).result(_SECONDS)
        except grpc.FutureTimeoutError:
            return False
    return True


def read_flink_overview(page: str) -> Overview:
    """Returns what the cluster at the page is.

    Raises:
      ConfigError: nothing answers there, or not as Flink does.
    """
    try:
        return FlinkPage(page).read_overview()
    except OSError as error:
        raise ConfigError(
            f"engine.page: Flink does not answer at {page}: {getattr(error, 'reason', error)}",
            "name the address of Flink's REST API (port 8081 unless set), or leave the key out",
        ) from error


def _check_flink(engine: EngineConfig, page: str) -> None:
    overview = read_flink_overview(page)
    if engine.parallelism is not None and engine.parallelism > overview.slots:
        raise ConfigError(
            f"engine.parallelism: {engine.parallelism} parts need as many slots, and the cluster "
            f"at {page} has {overview.slots}",
            f"add TaskManagers, or lower the number: --set engine.parallelism={overview.slots}"
            if overview.slots
            else "start TaskManagers: none has registered at the JobManager",
        )
