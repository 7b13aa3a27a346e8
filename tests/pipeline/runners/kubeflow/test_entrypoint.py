"""How the process of a task ends: its log, its exit code, and its output file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from pipeline.core.events import Failure
from pipeline.runners.kubeflow.run_records.run_directory import RunDirectory

EXECUTORS = """
import pathlib, time
from tfx.dsl.components.base.base_executor import BaseExecutor
from pipeline.core.errors import DataError

class Good(BaseExecutor):
    def Do(self, input_dict, output_dict, exec_properties):
        [model] = output_dict["model"]
        pathlib.Path(model.uri, "weights").write_text(str(exec_properties))
        model.set_int_custom_property("layers", 3)

class Refusing(BaseExecutor):
    def Do(self, input_dict, output_dict, exec_properties):
        raise RuntimeError("in a worker") from DataError("no rows", "add some, or `--set a.b=1`")

class Broken(BaseExecutor):
    def Do(self, input_dict, output_dict, exec_properties):
        {}["missing"]

class Slow(BaseExecutor):
    def Do(self, input_dict, output_dict, exec_properties):
        pathlib.Path(exec_properties["begun"]).touch()
        time.sleep(60)
"""
MODEL = {"instanceSchema": "title: tfx.Model\ntype: object\n"}


def start(directory: Path, name: str) -> "subprocess.Popen[str]":
    artifacts = {
        "model": {"artifacts": [{"uri": f"s3://b/{name}/model", "type": MODEL}]},
        "executor-logs": {
            "artifacts": [{"uri": "s3://b/logs", "type": {"schemaTitle": "system.Artifact"}}]
        },
    }
    executor_input: dict[str, Any] = {
        "inputs": {
            "parameterValues": {"properties": json.dumps({"begun": str(directory / "begun")})}
        },
        "outputs": {"artifacts": artifacts, "outputFile": str(directory / f"{name}.json")},
    }
    flags = ("--executor_class_path", f"own_executors.{name}")
    spec = ("--json_serialized_inputs_spec_args", "{}")
    module = "pipeline.runners.kubeflow.entrypoint"
    return subprocess.Popen(
        [sys.executable, "-m", module, "Own", json.dumps(executor_input), *flags, *spec],
        env={
            **os.environ,
            "PYTHONPATH": f"{directory}{os.pathsep}{Path.cwd()}",
            "PIPELINE_STAGING_ROOT": str(directory),
            "PIPELINE_RECORDS": str(directory / "runs"),
            "PIPELINE_RUN_ID": name,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, Path]]:
    """Runs all executors at once; returns exit code, log and path of the output file of each."""
    directory = tmp_path_factory.mktemp("tasks")
    (directory / "own_executors.py").write_text(EXECUTORS)
    names = ("Good", "Refusing", "Broken", "Slow")
    processes = {name: start(directory, name) for name in names}
    while not (directory / "begun").exists():
        assert processes["Slow"].poll() is None, processes["Slow"].communicate()[0]
        time.sleep(0.1)
    processes["Slow"].send_signal(signal.SIGTERM)
    logs = {name: process.communicate()[0] for name, process in processes.items()}
    return {
        name: (processes[name].returncode, logs[name], directory / f"{name}.json") for name in names
    }


@pytest.mark.slow
def test_a_successful_task_writes_its_outputs_and_exits_with_0(ends: dict) -> None:
    """Reasons 7 and 9: URIs of the store, and an exit without destructors."""
    code, log, output = ends["Good"]
    assert code == 0, log
    reported = json.loads(output.read_text())["artifacts"]
    assert list(reported) == ["model"]
    [model] = reported["model"]["artifacts"]
    assert (model["uri"], model["metadata"]["layers"]) == ("s3://b/Good/model", 3)
    assert (output.parent / "s3/b/Good/model/weights").exists()


def test_an_error_of_the_user_is_shown_without_a_traceback(ends: dict) -> None:
    code, log, output = ends["Refusing"]
    assert (code, output.exists()) == (3, False)
    assert log.endswith("Error: no rows\n  add some, or `--parameter overrides=a.b=1`\n")
    assert "Traceback" not in log


def test_a_defect_is_shown_with_its_traceback(ends: dict) -> None:
    code, log, output = ends["Broken"]
    assert (code, output.exists()) == (1, False)
    assert "Traceback" in log
    assert log.endswith("Error: KeyError: 'missing'\n")


def test_every_end_leaves_a_record(ends: dict) -> None:
    runs = ends["Good"][2].parent / "runs"
    records = {name: RunDirectory(runs / name).read()["Own"] for name in ends}
    assert {name: (record.state, record.exit_code) for name, record in records.items()} == {
        "Good": ("complete", 0),
        "Refusing": ("failed", 3),
        "Broken": ("failed", 1),
        "Slow": ("interrupted", 130),
    }
    assert records["Good"].outputs["model"].uri == "s3://b/Good/model"
    assert records["Refusing"].error == Failure("no rows", "add some, or `--set a.b=1`")


def test_sigterm_interrupts_the_task(ends: dict) -> None:
    code, log, output = ends["Slow"]
    assert (code, output.exists()) == (130, False)
    assert log.endswith("Error: interrupted\n")
