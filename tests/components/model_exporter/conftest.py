"""A small model with its exports, made once in a session, since that takes seconds."""

from __future__ import annotations

import pytest
from exported_model import Exported, make_exports


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return make_exports(tmp_path_factory.mktemp("exported"))
