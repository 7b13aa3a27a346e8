"""Metrics for Prometheus, of all workers together."""

from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families
from pushed_models import ROW
from running_server import RunningServer

pytestmark = pytest.mark.slow


def read_metrics(server: RunningServer) -> dict[tuple[str, ...], float]:
    text = server.get("/metrics").text
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_and_rows_of_all_workers_are_counted(pushed: Path) -> None:
    with RunningServer("--model", pushed, "--workers", "2", "--no-access-log") as server:
        for _ in range(40):
            server.session.close()  # A new connection may reach the other worker.
            assert server.predict(ROW, ROW).ok
        assert server.predict({}).status_code == 400
        metrics = read_metrics(server)
        assert metrics[("model_server_requests_total", "200", "predict")] == 40
        assert metrics[("model_server_requests_total", "400", "predict")] == 1
        assert metrics[("model_server_rows_total",)] == 80
        assert metrics[("model_server_call_rows_count",)] <= 40
        assert metrics[("model_server_request_seconds_count", "predict")] == 41
        assert metrics[("model_server_waiting_rows",)] == 0
        assert metrics[("model_server_version",)] == 1
        assert metrics[("model_server_version_refused",)] == 0
        # A worker's counts outlive the worker.
        server.workers()[0].kill()
        server.wait_for(lambda: "another one follows" in server.output)
        assert read_metrics(server)[("model_server_rows_total",)] == 80
