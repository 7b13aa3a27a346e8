"""Imports point one way: cli -> runners -> dag -> components -> config."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("pipeline", "components", "trainer_module", "benchmarks")

# Who may be imported by what is below a path, longest path first.
ALLOWED = {
    "pipeline/config": {"pipeline.config"},
    "trainer_module": {"trainer_module", "pipeline.config"},
    "components": {"components", "pipeline.config"},
    "pipeline/onboarding": {"pipeline.onboarding", "pipeline.config", "components"},
    "pipeline/core/code_digest.py": set(),
    "pipeline/config/rules/named_columns.py": {"pipeline.config"},
    "pipeline/evaluation.py": {"pipeline.config", "trainer_module.features"},
    "pipeline/keys.py": {"pipeline.config", "pipeline.core.code_digest", "components"},
    "pipeline/sources.py": {"pipeline.config", "components"},
    "pipeline/dag.py": {
        "pipeline.config",
        "pipeline.core.code_digest",
        "pipeline.evaluation",
        "pipeline.keys",
        "pipeline.sources",
        "components",
    },
    "pipeline/runners": {
        "pipeline.runners",
        "pipeline.config",
        "pipeline.dag",
        "pipeline.config.rules.named_columns",
        "pipeline.keys",
        "pipeline.sources",
        "components",
    },
    # It checks what the compiler writes and the entrypoint does: with code of theirs it could not.
    "pipeline/runners/kfp_local": {
        "pipeline.runners.kfp_local",
        "pipeline.runners.workspace.lock",
        "pipeline.config",
    },
}


def project_imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "pipeline" or node.module == "components":
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
            else:
                names.add(node.module)
    return {n for n in names if n.split(".")[0] in PACKAGES}


@pytest.mark.parametrize("place", sorted(ALLOWED))
def test_imports_point_down(place: str) -> None:
    path = ROOT / place
    for file in [path] if path.is_file() else path.rglob("*.py"):
        for name in project_imports(file):
            assert any(name == a or name.startswith(f"{a}.") for a in ALLOWED[place]), (file, name)


def test_only_a_user_starts_the_executor_of_compiled_files() -> None:
    for file in (ROOT / "pipeline").rglob("*.py"):
        if "kfp_local" not in file.parts:
            assert not any("kfp_local" in name for name in project_imports(file)), file


def test_every_module_of_pipeline_has_its_place() -> None:
    known = {"__init__.py", "__main__.py", "cli.py", "__pycache__"}
    found = {p.name for p in (ROOT / "pipeline").iterdir()} - known
    assert found == {Path(p).parts[1] for p in ALLOWED if p.startswith("pipeline/")}


def imported(modules: str, among: set[str]) -> set[str]:
    """Which packages among these a new process has loaded after importing the modules."""
    code = f"import sys, {modules}; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return among & set(result.stdout.split())


def test_light_modules_import_nothing_heavy() -> None:
    heavy = {"tensorflow", "tfx", "apache_beam", "tensorflow_transform", "sklearn", "tf_keras"}
    light = (
        "pipeline.cli, pipeline.config, trainer_module.features, pipeline.runners.local.run, "
        "pipeline.terminal.report, pipeline.runners.kubeflow.client.deploy, "
        "components.supervision.worker, components.tuner.trial"
    )
    assert imported(light, heavy) == set()


def test_who_trains_imports_tensorflow_alone() -> None:
    """Each worker and each trial pays for it, at every start."""
    others = {"tfx", "apache_beam", "tensorflow_model_analysis", "tensorflow_data_validation"}
    assert imported("trainer_module.run, trainer_module.trial", others) == set()
