"""The metrics of the server for Prometheus; all workers count in files that they share.

`prometheus_client` chooses these files when it is imported, from PROMETHEUS_MULTIPROC_DIR, which
the supervisor sets for its workers.
"""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

MEDIA_TYPE = CONTENT_TYPE_LATEST

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_ROWS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 4096, 16384)

_requests = Counter(
    "model_server_requests", "Answered requests by endpoint and HTTP status.", ["endpoint", "code"]
)
_seconds = Histogram(
    "model_server_request_seconds",
    "Seconds from a request's headers to its response.",
    ["endpoint"],
    buckets=_SECONDS,
)
_rows = Counter("model_server_rows", "Rows with predictions.")
_call_rows = Histogram(
    "model_server_call_rows", "Rows that one call of the model answered.", buckets=_ROWS
)
_waiting_rows = Gauge(
    "model_server_waiting_rows", "Rows that wait for the model.", multiprocess_mode="livesum"
)
_version = Gauge(
    "model_server_version", "The number of the served version.", multiprocess_mode="livemin"
)
_problem = Gauge(
    "model_server_version_refused",
    "1 if the version that should be served cannot be served.",
    multiprocess_mode="livemax",
)


class EndpointMetrics:
    """The counters of one endpoint; looking them up by label for each request takes longer."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._seconds = _seconds.labels(endpoint)
        self._codes: dict[int, Counter] = {}

    def count(self, code: int, seconds: float) -> None:
        """Counts an answered request."""
        if code not in self._codes:
            self._codes[code] = _requests.labels(self._endpoint, str(code))
        self._codes[code].inc()
        self._seconds.observe(seconds)


def count_call(rows: int) -> None:
    """Counts a call of the model."""
    _call_rows.observe(rows)
    _rows.inc(rows)


def change_waiting(rows: int) -> None:
    """Counts rows that wait from now on, or no longer if the number is negative."""
    _waiting_rows.inc(rows)


def show_version(version: str, problem: str) -> None:
    """Shows which version is served, and whether another one should be."""
    _version.set(int(version) if version.isdigit() else 0)
    _problem.set(bool(problem))


def write_metrics() -> bytes:
    """Returns the metrics of all workers in the text format of Prometheus."""
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    text: bytes = generate_latest(registry)
    return text
