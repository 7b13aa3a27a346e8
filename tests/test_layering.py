"""Imports point one way: cli -> runners -> dag -> components -> config -> core."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("pipeline", "components", "serving", "trainer_module", "benchmarks", "deploy")

SHARED_BY_COMPONENTS = {
    "components.beam_mode",
    "components.beam_workers",
    "components.custom_config_text",
    "components.engine",
    "components.record_splits",
    "components.findings",
    "components.model_exports",
    "components.predictions",
    "components.push_history",
    "components.run_figures",
    "components.served_model",
    "components.statistics_view",
    "components.supervision",
    "components.tables",
    "components.worker_threads",
    "serving.batch",
    "serving.processes.messages",
}
SHARED_WITH_THE_SERVER = {"serving.errors", "serving.rows"}
"""JSON to arrays, without the server: ServingCheck asks a model as clients of the server do."""
BELOW = {"pipeline.core", "pipeline.config"}
"""What every room but these two may import."""

# What the files below a path may import.
ALLOWED = {
    "pipeline/core": {"pipeline.core"},
    "pipeline/config": BELOW,
    "trainer_module": {*BELOW, "trainer_module"},
    "deploy": {"pipeline.core", "deploy"},
    "serving": {
        *BELOW,
        "serving",
        "components.beam_mode",
        "components.beam_workers",
        "components.served_model.keys",
        "components.served_model.served_record",
        "components.served_model.store",
        "components.tables",
        "components.worker_threads",
    },
    # It reads tables as ExampleGen does, and calls the model as the server does.
    "serving/batch": {
        *BELOW,
        "serving.batch",
        "serving.model.saved_model",
        "serving.processes.messages",
        "serving.processes.sources",
        "serving.rows",
        "components.beam_mode",
        "components.beam_workers",
        "components.served_model.keys",
        "components.served_model.store",
        "components.tables",
        "components.worker_threads",
    },
    "serving/rows": {*BELOW, "serving.errors", "serving.rows"},
    "serving/model": {*BELOW, "serving.errors", "serving.waiting", "serving.rows", "serving.model"},
    "components/beam_mode.py": BELOW,
    "components/beam_workers.py": BELOW,
    "components/worker_threads.py": BELOW,
    "components/predictions": {*BELOW, "components.predictions"},
    "components/tables": {*BELOW, "components.tables"},
    "components/custom_config_text.py": BELOW,
    # A first job on an engine looks for the table as ExampleGen does.
    "components/engine": {*BELOW, "components.engine", "components.tables"},
    "components/record_splits": {
        *BELOW,
        "components.beam_workers",
        "components.custom_config_text",
        "components.record_splits",
        "components.tables",
    },
    "components/supervision": {*BELOW, "components.supervision"},
    "components/findings": {*BELOW, "components.findings"},
    "components/model_exports": {*BELOW, "components.model_exports"},
    "components/run_figures": {*BELOW, "components.run_figures"},
    "components/served_model": {*BELOW, "components.served_model"},
    "components/push_history": {
        *BELOW,
        "components.predictions",
        "components.push_history",
        "components.served_model",
    },
    "components/statistics_view": {
        *BELOW,
        "components.statistics_view",
        "components.served_model",
    },
    "pipeline/onboarding": {
        *BELOW,
        "pipeline.onboarding",
        "components.tables",
        "trainer_module.trees.library",
        "trainer_module.trees.settings",
    },
    "pipeline/onboarding/reading": {
        *BELOW,
        "pipeline.onboarding.guess",
        "pipeline.onboarding.reading",
        "components.tables",
    },
    # It judges columns with trees that are fitted as the Trainer fits them.
    "pipeline/onboarding/judging": {
        *BELOW,
        "trainer_module.trees.library",
        "trainer_module.trees.settings",
        "pipeline.onboarding.guess",
        "pipeline.onboarding.reading",
        "pipeline.onboarding.judging",
        "components.tables",
    },
    "pipeline/eval_config.py": {*BELOW, "trainer_module.names"},
    "pipeline/keys.py": {*BELOW, "components"},
    "pipeline/sources.py": {*BELOW, "components"},
    "pipeline/custom_config.py": {*BELOW, "pipeline.keys"},
    "pipeline/dag.py": {
        *BELOW,
        "pipeline.custom_config",
        "pipeline.eval_config",
        "pipeline.keys",
        "pipeline.sources",
        "components",
    },
    "pipeline/terminal": {*BELOW, "pipeline.terminal"},
    "pipeline/report": {
        *BELOW,
        "pipeline.report",
        "components.data_figures.figures",
        "components.model_figures.figures",
        "components.statistics_view.distributions.wording",
    },
    "pipeline/runners": {
        *BELOW,
        "pipeline.dag",
        "pipeline.keys",
        "pipeline.report",
        "pipeline.runners",
        "pipeline.sources",
        "pipeline.terminal",
        "components",
        "serving.batch.results.output_directory",
    },
    # It reads workspaces, and must answer without starting a run.
    "pipeline/runners/history": {
        *BELOW,
        "pipeline.runners.history",
        "pipeline.runners.workspace",
        "pipeline.terminal",
        "components.served_model",
    },
    # It reads workspaces, and must answer without starting a run.
    "pipeline/runners/reporting": {
        *BELOW,
        "pipeline.report",
        "pipeline.runners.reporting",
        "pipeline.runners.workspace",
        "pipeline.terminal",
        "components.data_figures.figures",
        "components.model_figures.figures",
        "components.predictions.bounds",
        "components.predictions.estimates",
        "components.run_figures.figures_file",
        "components.serving_check.blessing",
        "components.served_model",
        "components.tables.fingerprint",
        "components.tables.sources.table_path",
        "components.tuner.results",
    },
    # It checks what the compiler writes and the entrypoint does: with code of theirs it could not.
    "pipeline/runners/kfp_local": {
        *BELOW,
        "pipeline.runners.kfp_local",
        "pipeline.runners.workspace.lock",
    },
}
NOT_COMPONENTS = {
    "__init__.py",
    "__pycache__",
    *(f"{n.split('.')[1]}" for n in SHARED_BY_COMPONENTS),
}
COMPONENTS = sorted(
    path.name
    for path in (ROOT / "components").iterdir()
    if path.is_dir() and path.name not in NOT_COMPONENTS
)


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


def forbidden_imports(place: str, allowed: set[str]) -> list[tuple[Path, str]]:
    path = ROOT / place
    return [
        (file, name)
        for file in ([path] if path.is_file() else path.rglob("*.py"))
        for name in project_imports(file)
        if not any(name == a or name.startswith(f"{a}.") for a in allowed)
    ]


@pytest.mark.parametrize("place", sorted(ALLOWED))
def test_imports_point_down(place: str) -> None:
    assert (ROOT / place).exists()
    assert not forbidden_imports(place, ALLOWED[place])


@pytest.mark.parametrize("component", COMPONENTS)
def test_a_component_imports_no_other_component(component: str) -> None:
    allowed = {*BELOW, *SHARED_BY_COMPONENTS, f"components.{component}"}
    if component == "serving_check":
        allowed |= SHARED_WITH_THE_SERVER
    assert not forbidden_imports(f"components/{component}", allowed)


@pytest.mark.parametrize("package", ["components", "trainer_module"])
def test_no_component_takes_the_whole_configuration(package: str) -> None:
    for file in (ROOT / package).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert "Config" not in {alias.name for alias in node.names}, file


def test_contracts_import_nothing_of_the_project() -> None:
    assert not project_imports(ROOT / "pipeline/core/contracts.py")


def test_no_folder_is_crowded() -> None:
    for top in PACKAGES:
        for folder in [ROOT / top, *(ROOT / top).rglob("*/")]:
            files = [f for f in folder.glob("*.py") if f.name != "__init__.py"]
            assert len(files) <= 15, folder


def test_no_other_module_of_pipeline_imports_the_local_executor() -> None:
    for file in (ROOT / "pipeline").rglob("*.py"):
        if "kfp_local" not in file.parts:
            assert not any("kfp_local" in name for name in project_imports(file)), file


def test_every_module_of_pipeline_has_its_place() -> None:
    known = {"__init__.py", "__main__.py", "cli", "__pycache__"}
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
        "pipeline.cli, pipeline.config, trainer_module.names, trainer_module.sections, "
        "pipeline.runners.local.run, pipeline.runners.reporting.gather, "
        "pipeline.runners.comparing.write, "
        "pipeline.terminal.report, pipeline.runners.kubeflow.client.deploy, "
        "pipeline.runners.kubeflow.in_cluster.report, "
        "components.supervision.worker, components.tuner.trial, "
        "pipeline.core.code_digest, pipeline.core.date_formats, pipeline.core.files, "
        "serving.command, serving.batch.command, serving.batch.make_task, serving.batch.predict"
    )
    assert imported(light, heavy) == set()


def test_training_imports_tensorflow_but_neither_tfx_nor_beam() -> None:
    """Every worker and every trial would wait for these imports when it starts."""
    others = {"tfx", "apache_beam", "tensorflow_model_analysis", "tensorflow_data_validation"}
    assert imported("trainer_module.run, trainer_module.trial", others) == set()


def has_logic(path: Path) -> bool:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))


def test_every_module_with_logic_has_tests_of_its_name() -> None:
    missing = [
        str(path.relative_to(ROOT))
        for package in ("pipeline", "components", "serving", "trainer_module")
        for path in (ROOT / package).rglob("*.py")
        if not path.name.startswith("__")
        and has_logic(path)
        and not (ROOT / "tests" / path.relative_to(ROOT)).with_name(f"test_{path.name}").exists()
    ]
    assert missing == []
