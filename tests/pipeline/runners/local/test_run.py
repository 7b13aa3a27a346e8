"""A run is refused before any work if it cannot succeed; once begun, it ends with an outcome."""

from __future__ import annotations

import importlib.util
import io
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from pipeline.config import load_config
from pipeline.core.errors import ConfigError
from pipeline.core.events import Failure
from pipeline.core.processes import INTERRUPTED
from pipeline.runners.history.past_runs import list_runs
from pipeline.runners.local.dag_process_main import DISK_FULL
from pipeline.runners.local.run import _fill_in_outcome, run_local
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.display import Display
from pipeline.terminal.summary import Summary

ROOT = Path(__file__).parents[4]
NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("training.strategy=tpu", "training.strategy: no TPU: the environment names none"),
        pytest.param(
            "training.devices=[0, 1]",
            "training.devices: there is no GPU 1; this machine has none",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_missing_accelerator_is_refused_before_any_component_starts(
    tmp_path: Path, assignment: str, message: str
) -> None:
    command = [sys.executable, "-m", "pipeline", "run", "--config", "configs/penguins.yaml"]
    done = subprocess.run(
        [*command, "--set", assignment, "--output", str(tmp_path / "out")],
        cwd=ROOT,
        env={**os.environ, **NO_GPU},
        capture_output=True,
        text=True,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 2, output
    assert f"Error: {message}" in output
    assert "ExampleGen" not in output


def test_a_table_without_a_configured_column_is_refused_before_any_component_starts(
    tmp_path: Path,
) -> None:
    (tmp_path / "penguins.csv").write_text("species\nAdelie\n")
    path = ROOT / "configs/penguins.yaml"
    config = load_config([path], [f"data.path={tmp_path / 'penguins.csv'}"])
    workspace = Workspace.of(config, tmp_path / "out")
    with pytest.raises(ConfigError, match=r"^features.*column"):
        run_local(config, workspace, Display(Console(file=io.StringIO())))
    assert not workspace.logs.exists()


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("runs", r"^prediction\.output: .* is the output directory"),
        ("shared", r"^prediction\.output .*, such as 'mine\.txt'"),
    ],
)
def test_predictions_among_other_files_are_refused_before_any_component_starts(
    output: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "mine.txt").touch()
    section = f"prediction={{input: new.csv, output: {tmp_path / output}}}"
    config = load_config([ROOT / "configs/penguins.yaml"], [section])
    workspace = Workspace.of(config, tmp_path / "runs")
    with pytest.raises(ConfigError, match=words):
        run_local(config, workspace, Display(Console(file=io.StringIO())))
    assert not workspace.root.exists()


def test_a_missing_package_of_exports_is_refused_before_any_component_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "tf2onnx" else find(name)
    )
    table = ROOT / "data/penguins/penguins.csv"
    assignments = [f"data.path={table}", "exports=[{format: onnx}]"]
    config = load_config([ROOT / "configs/penguins.yaml"], assignments)
    workspace = Workspace.of(config, tmp_path / "out")
    display = Display(Console(file=io.StringIO()))
    with pytest.raises(ConfigError, match="format onnx needs the package tf2onnx"):
        run_local(config, workspace, display)
    assert not workspace.logs.exists()


def test_a_run_that_is_interrupted_as_soon_as_it_has_a_name_has_summary_and_page(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "pipeline", "run", "--config", "configs/penguins.yaml"]
    logs = tmp_path / "logs"
    process = subprocess.Popen(
        [*command, "--output", str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    while not logs.is_dir() or not any(logs.iterdir()):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED, output
    assert "Report: " in output
    (run,) = list_runs(Workspace(tmp_path, tmp_path / "serving"))
    assert (run.status, run.exit_code, run.why) == ("interrupted", INTERRUPTED, "")
    assert run.report is not None
    page = Path(run.report).read_text()
    assert "interrupted the run" in page
    # The record of the configuration was written before the interruption counted.
    assert "species" in page


@pytest.mark.parametrize(
    ("return_code", "interrupted", "exit_code", "words"),
    [
        (-15, True, INTERRUPTED, "interrupted"),
        (DISK_FULL, False, 1, "no space left on the device"),
        (-9, False, 1, "the run's process ended by signal 9"),
    ],
)
def test_a_worker_that_sent_no_outcome_gets_one(
    tmp_path: Path, return_code: int, interrupted: bool, exit_code: int, words: str
) -> None:
    summary = Summary("penguins", "1", "run.log")
    _fill_in_outcome(summary, return_code, interrupted, Workspace(tmp_path, tmp_path))
    assert summary.exit_code == exit_code
    assert isinstance(summary.error, Failure)
    assert words in summary.error.message


def test_an_engine_that_does_not_answer_is_refused_before_any_component_starts(
    tmp_path: Path,
) -> None:
    with socket.create_server(("localhost", 0)) as free:
        endpoint = f"localhost:{free.getsockname()[1]}"
    data = f"data.path={ROOT}/data/penguins/*.csv"
    assignments = [data, "engine.kind=spark", f"engine.endpoint={endpoint}"]
    config = load_config([ROOT / "configs/penguins.yaml"], assignments)
    workspace = Workspace.of(config, tmp_path / "out")
    with pytest.raises(ConfigError, match=r"^engine\.endpoint: no job server answers"):
        run_local(config, workspace, Display(Console(file=io.StringIO())))
    assert not workspace.logs.exists()
