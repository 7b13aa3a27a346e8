"""Loading LightGBM: how its threads wait, and a machine without OpenMP's library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
VARIABLES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
LOAD = f"""import trainer_module.trees.library, os
print(*(os.environ.get(name) for name in {VARIABLES}))"""


def load(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Loads LightGBM in a new process, which finds packages in `folder` first."""
    paths = os.pathsep.join(map(str, (folder, ROOT)))
    own = {key: value for key, value in os.environ.items() if key not in VARIABLES}
    return subprocess.run(
        [sys.executable, "-c", LOAD],
        env={**own, "PYTHONPATH": paths, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("environment", "seen"),
    [
        ({}, "passive 1000"),
        ({"GOMP_SPINCOUNT": "5"}, "passive 5"),
        # The count would take the place of the policy that the user wants.
        ({"OMP_WAIT_POLICY": "active"}, "active None"),
    ],
)
def test_threads_wait_a_moment_and_then_sleep_unless_the_environment_says_otherwise(
    tmp_path: Path, environment: dict[str, str], seen: str
) -> None:
    package = tmp_path / "lightgbm"
    package.mkdir()
    # OpenMP reads the variables when the library is loaded, so they have to be set before.
    (package / "__init__.py").write_text("import os\nos.environ['OMP_WAIT_POLICY']\n")
    result = load(tmp_path, **environment)
    assert result.stdout.strip() == seen, result.stderr


def test_a_missing_library_is_named_with_the_way_to_install_it(tmp_path: Path) -> None:
    package = tmp_path / "lightgbm"
    package.mkdir()
    (package / "__init__.py").write_text("import ctypes\nctypes.CDLL('libabsent.so.1')\n")
    result = load(tmp_path)
    assert result.returncode != 0
    assert "LightGBM cannot be loaded: libabsent.so.1" in result.stderr
