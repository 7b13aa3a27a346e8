"""A fixture: runs of every kind, as they were recorded."""

import pytest
from recorded_runs import Recorded, unpack


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Returns a workspace of real runs that tests only read."""
    return unpack(tmp_path_factory.mktemp("recorded"))
