from pathlib import Path

import pytest

from pipeline.core.errors import ConfigError
from pipeline.runners.history.configuration import find_configuration
from pipeline.runners.workspace.places import Workspace


def test_a_workspace_without_a_configuration_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no run here has left its configuration"):
        find_configuration(Workspace(tmp_path, tmp_path / "serving"), "1")
