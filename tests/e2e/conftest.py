"""A fixture: the project that all whole runs of a module share."""

import pytest
from support import SHOP_CONFIG, Project, shop_table, write_csv


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Returns a directory with a small table and its configuration, shared by a module's tests."""
    directory = tmp_path_factory.mktemp("project")
    write_csv(directory / "shop.csv", shop_table())
    (directory / "my.yaml").write_text(SHOP_CONFIG)
    return Project(directory)
