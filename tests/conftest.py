"""What holds for all tests."""

import contextlib
import itertools
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from faulty_server import FaultyServer
from hypothesis import HealthCheck, settings
from object_store import Bucket, Proxy, make_bucket, serve_proxy, serve_s3

from pipeline.core.stores.client import forget_stores

# Where a shell started the tests in the background, they ignore Ctrl-C, and so would the commands
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# No test is timed: a slow machine is no defect. The same examples everywhere: a red build can be
# looked at.
settings.register_profile(
    "project", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("project")


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    """A real server of S3's protocol, which ends with the tests."""
    with serve_s3() as endpoint:
        yield endpoint


_TESTS = Path(__file__).parent
_ON_EITHER_STACK = tuple(
    str(_TESTS / name)
    for name in (
        "benchmarks", "components/anomaly_gate", "components/batch_predictor",
        "components/data_figures", "components/distributed_trainer/kubernetes", "components/engine",
        "components/model_figures", "components/predictions", "components/push_history",
        "components/pusher", "components/record_example_gen", "components/record_splits",
        "components/schema_curator", "components/served_model", "components/serving_check",
        "components/statistics_view", "components/supervision", "components/tables/sources",
        "components/tables/test_compression.py", "data", "deploy", "fuzz", "pipeline/cli",
        "pipeline/config", "pipeline/core", "pipeline/onboarding", "pipeline/report",
        "pipeline/runners/comparing", "pipeline/runners/history", "pipeline/runners/kfp_local",
        "pipeline/runners/kubeflow/client", "pipeline/runners/kubeflow/page",
        "pipeline/runners/kubeflow/run_records", "pipeline/runners/local/warm",
        "pipeline/runners/reporting", "pipeline/runners/versions", "pipeline/runners/workspace",
        "pipeline/terminal", "pipeline/test_keys.py", "serving/batch", "serving/http",
        "serving/processes", "serving/rpc", "serving/test_command.py", "test_docs.py",
        "test_layering.py", "test_no_pickles.py", "test_supply_chain.py", "test_workflows.py",
        "torture", "trainer_module/blend/test_failures.py",
    )
)  # fmt: skip
"""Tests of files, of code that calls nothing whose versions differ much between the stacks, and of
components that call what others call, too.

The workflow ci.yml runs them on both stacks all the same.
"""


_SLOW_SECONDS = 60


class _AtOnce:
    """Prints failures and slow tests when they end.

    pytest prints them when all tests have ended, which CI may not wait for.
    """

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._write(f"{report.nodeid} ({report.when}): {report.longreprtext}")
        elif report.duration > _SLOW_SECONDS:
            self._write(f"{report.nodeid} ({report.when}) took {report.duration:.0f} s")

    def _write(self, line: str) -> None:
        self._terminal.ensure_newline()
        self._terminal.write_line(line)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal and not hasattr(config, "workerinput"):  # Of xdist, whose controller prints.
        config.pluginmanager.register(_AtOnce(terminal))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if str(item.path).startswith(_ON_EITHER_STACK):
            item.add_marker("on_either_stack")


_numbers = itertools.count(1)


@pytest.fixture
def bucket(s3_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    """An empty bucket, to which the environment leads."""
    bucket = make_bucket(s3_endpoint, f"bucket-{next(_numbers)}")
    for name, value in bucket.environment().items():
        monkeypatch.setenv(name, value)
    forget_stores()
    yield bucket
    forget_stores()


@pytest.fixture
def proxy(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """A proxy before the store of `bucket`, to which the environment leads instead."""
    with serve_proxy(bucket.endpoint) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        forget_stores()
        yield proxy


@pytest.fixture
def faulty_server(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyServer]:
    """A proxy before the store of `bucket`, to which the environment leads; a test lets it fail."""
    with contextlib.closing(FaultyServer(bucket.endpoint)) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
        forget_stores()
        yield server
