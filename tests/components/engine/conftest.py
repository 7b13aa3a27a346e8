"""One engine for the tests of this folder, since its processes take seconds to start."""

from collections.abc import Iterator

import pytest
from job_service import running_engine


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """The assignments of `engine` for Beam's own job server with a worker pool."""
    with running_engine(tmp_path_factory.mktemp("engine") / "log") as assignments:
        yield assignments
