"""What holds for all tests."""

import contextlib
import itertools
import signal
from collections.abc import Iterator

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
