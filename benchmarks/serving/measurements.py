"""What the benchmark measures: throughput and latency, a switch under load, and memory."""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import psutil

from benchmarks.serving.load import Load, Measured, read_load, run_load, start_load
from benchmarks.serving.servers import read_json, run_naive, run_ours
from components.served_model.served_record import ServedRecord, read_pointer_file
from pipeline.core.contracts import ArtifactFile
from pipeline.core.files import write_text_atomically

PATH = "/v1/models/model:predict"
_SWITCH_SECONDS = 30.0
"""How long the load of the switches lasts, and how long a switch may take."""
_MEMORY_CLIENTS = 16


def measure_throughput(
    port: int,
    bodies: dict[int, Path],
    clients: Sequence[int],
    seconds: float,
    reconnects: bool = False,
) -> dict[str, dict[str, object]]:
    """Returns what each number of clients measured, by `batch N, N clients`."""
    measured = {}
    for batch, path in bodies.items():
        for count in clients:
            load = Load("127.0.0.1", port, PATH, str(path), count, seconds, reconnects=reconnects)
            found = run_load(load)
            measured[f"batch {batch}, {count} clients"] = {
                **asdict(found),
                "requests_per_second": found.per_second,
                "rows_per_second": found.per_second * batch,
            }
    return measured


def measure_ours(
    serving: Path, bodies: dict[int, Path], clients: Sequence[int], seconds: float, workers: int
) -> dict[str, dict[str, object]]:
    """Returns the figures of this project's server."""
    log = serving.parent / "server.log"
    with run_ours(serving, workers, log) as (port, _):
        return measure_throughput(port, bodies, clients, seconds)


def measure_naive(
    model: Path, bodies: dict[int, Path], clients: Sequence[int], seconds: float, log: Path
) -> dict[str, dict[str, object]]:
    """Returns the figures of the naive server."""
    with run_naive(model, log) as port:
        return measure_throughput(port, bodies, clients, seconds, reconnects=True)


def measure_switch(serving: Path, bodies: Path, clients: int) -> dict[str, object]:
    """Pushes copies of the model under load until two switches have happened.

    Returns:
      The requests, the failed ones by cause, and the seconds from each pointer to its switch.
    """
    record = read_pointer_file(str(serving))
    assert record is not None
    with run_ours(serving, 2, serving.parent / "switch.log") as (port, _):
        load = Load("127.0.0.1", port, PATH, str(bodies), clients, _SWITCH_SECONDS)
        process = start_load(load)
        time.sleep(3)
        seconds = [_switch(serving, record, int(record.version) + i, port) for i in (1, 2)]
        time.sleep(2)
        measured = read_load(process)
    return {"requests": measured.requests, "failed": measured.failed, "switch_seconds": seconds}


def _switch(serving: Path, record: ServedRecord, version: int, port: int) -> float:
    """Pushes a copy of the served model as `version`; returns the seconds until it is served."""
    copied = ServedRecord(**{**asdict(record), "version": str(version), "reference": None,
                             "baseline": None})  # fmt: skip
    shutil.copytree(serving / record.version, serving / str(version))
    pointer = serving / ArtifactFile.SERVED_RECORD
    write_text_atomically(pointer, copied.to_json(), durable=False)
    started = time.monotonic()
    while read_json(port, "/readyz")["version"] != str(version):
        if time.monotonic() - started > _SWITCH_SECONDS:
            raise RuntimeError(f"version {version} was not served: {read_json(port, '/readyz')}")
        time.sleep(0.05)
    return time.monotonic() - started


def measure_memory(serving: Path, bodies: Path, requests: int) -> dict[str, object]:
    """Returns the resident megabytes of a worker after a tenth of the requests and after all."""
    with run_ours(serving, 1, serving.parent / "memory.log") as (port, supervisor):
        (worker,) = supervisor.children()
        sizes: list[float] = []
        failed: Counter[str] = Counter()
        for count in (requests // 10, requests - requests // 10):
            failed.update(_send(port, bodies, count).failed)
            sizes.append(_resident_megabytes(worker))
    return {"requests": requests, "megabytes": sizes, "failed": dict(failed)}


def _send(port: int, bodies: Path, count: int) -> Measured:
    load = Load("127.0.0.1", port, PATH, str(bodies), _MEMORY_CLIENTS, 3600, count)
    return run_load(load)


def _resident_megabytes(process: psutil.Process) -> float:
    return float(process.memory_info().rss / 1e6)
