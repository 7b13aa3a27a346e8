"""A small model with its exports."""

from __future__ import annotations

import pytest
from exported_model import Exported, make_exports
from made_once import make_once


@pytest.fixture(scope="session")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    return make_once(tmp_path_factory, "exported", make_exports)
