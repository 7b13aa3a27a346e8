"""Compiled files of real configurations: references resolve, Kubeflow's own tools parse them."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from kfp import components
from kubeflow_configs import OVERLAYS, ROOT, TAXI, VARIANTS, load_kubeflow_config

from pipeline.config.kubernetes.kubeflow import NODES
from pipeline.runners.kubeflow.client.package import read_package
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline, compile_with_tfx
from pipeline.runners.kubeflow.compiling.compiled_pipeline import CompiledPipeline
from pipeline.runners.kubeflow.compiling.execution_properties import read_constants
from pipeline.runners.kubeflow.compiling.spec import tasks_of
from pipeline.runners.kubeflow.compiling.target import make_target
from pipeline.runners.kubeflow.compiling.task_names import task_name


@pytest.fixture(scope="module")
def compiled() -> dict[str, CompiledPipeline]:
    return {
        name: compile_pipeline(load_kubeflow_config(*given)) for name, given in VARIANTS.items()
    }


@pytest.fixture(scope="module")
def files(
    compiled: dict[str, CompiledPipeline], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("compiled")
    paths = {name: folder / f"{name}.yaml" for name in compiled}
    for name, path in paths.items():
        path.write_text(compiled[name].to_yaml(), encoding="utf-8")
    return paths


def references(task: Any) -> Iterator[tuple[str, str, str]]:
    """The producer, the kind and the key of each input of a task."""
    for given in task["inputs"].get("artifacts", {}).values():
        source = given["taskOutputArtifact"]
        yield source["producerTask"], "artifacts", source["outputArtifactKey"]
    for given in task["inputs"]["parameters"].values():
        if source := given.get("taskOutputParameter"):
            yield source["producerTask"], "parameters", source["outputParameterKey"]


@pytest.mark.parametrize("name", VARIANTS)
def test_every_reference_of_a_task_resolves(
    compiled: dict[str, CompiledPipeline], name: str
) -> None:
    spec, platform = copy.deepcopy(compiled[name].spec), compiled[name].platform
    tasks, parts = tasks_of(spec), spec["components"]
    labels = set(spec["deploymentSpec"]["executors"])
    for key, task in tasks.items():
        assert task["taskInfo"]["name"] == key
        component = parts[task["componentRef"]["name"]]
        assert component["executorLabel"] in labels
        assert set(task.get("dependentTasks", ())) <= {*tasks, "pipeline"}
        for producer, kind, key in references(task):
            made = parts[tasks[producer]["componentRef"]["name"]]["outputDefinitions"]
            assert key in made[kind]
            assert producer in task["dependentTasks"]
    assert set(platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"]) == labels
    # Nothing of the configuration is in the graph but in the first task and in the exit task.
    for task in ("prepare", "report"):
        del tasks[task]["inputs"]["parameters"]["config"]
    assert "chicago_taxi" not in json.dumps(spec)


def test_section_kubeflow_can_configure_the_pod_of_every_component(
    compiled: dict[str, CompiledPipeline],
) -> None:
    found = {
        executor["container"]["args"][0]
        for pipeline in compiled.values()
        for executor in pipeline.spec["deploymentSpec"]["executors"].values()
    }
    assert found - {"prepare", "report"} == set(NODES) - {"Prepare", "Report"}


def test_batch_predictions_follow_the_push_and_never_come_from_the_cache(
    compiled: dict[str, CompiledPipeline],
) -> None:
    spec = compiled["prediction"].spec
    dags = [spec["root"]["dag"], *(c["dag"] for c in spec["components"].values() if "dag" in c)]
    [task] = [d["tasks"]["batch-predictor"] for d in dags if "batch-predictor" in d["tasks"]]
    assert task["cachingOptions"] == {"enableCache": False}
    assert "pusher" in task["dependentTasks"]


def test_an_exit_task_waits_for_one_sub_dag_of_all_other_tasks(
    compiled: dict[str, CompiledPipeline],
) -> None:
    spec = compiled["taxi"].spec
    sub_dag, report = (spec["root"]["dag"]["tasks"][name] for name in ("pipeline", "report"))
    assert report["dependentTasks"] == ["pipeline"]
    assert report["triggerPolicy"] == {"strategy": "ALL_UPSTREAM_TASKS_COMPLETED"}
    assert not report["cachingOptions"]["enableCache"]
    inner = spec["components"][sub_dag["componentRef"]["name"]]["dag"]["tasks"]
    assert {*inner, "report"} == set(tasks_of(spec))
    page = spec["components"]["comp-report"]["outputDefinitions"]["artifacts"]["page"]
    assert page["artifactType"]["schemaTitle"] == "system.HTML"
    graph = json.loads(report["inputs"]["parameters"]["tasks"]["runtimeValue"]["constant"])
    assert {task_name(node) for node in graph} == set(inner)
    assert graph["Transform"] == ["AnomalyGate", "ExampleGen", "Prepare", "SchemaCurator"]


def test_without_the_report_all_tasks_are_tasks_of_the_root(
    compiled: dict[str, CompiledPipeline],
) -> None:
    flat = compile_pipeline(load_kubeflow_config([], ["kubeflow.report=false"])).spec
    assert set(flat["root"]["dag"]["tasks"]) == set(tasks_of(compiled["taxi"].spec)) - {"report"}
    assert "PIPELINE_RECORDS" not in json.dumps(flat)


def test_the_command_gives_the_same_file_in_another_process(files: dict[str, Path]) -> None:
    """The hash seed differs, so sets have another order."""
    output = files["taxi"].with_name("again.yaml")
    overlay = str(OVERLAYS / "kubeflow.yaml")
    done = subprocess.run(
        [sys.executable, "-m", "pipeline", "compile", "--config", str(TAXI), "--config", overlay,
         "--set", "kubeflow.cache=true", "--output", str(output)],
        cwd=ROOT, capture_output=True, text=True, env=os.environ | {"PYTHONHASHSEED": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == (f"Wrote {output}.\n", "")
    assert output.read_bytes() == files["taxi"].read_bytes()


def test_changed_variables_change_the_properties_of_their_task_alone() -> None:
    def properties(*assignments: str) -> dict[str, Any]:
        config = load_kubeflow_config([], list(assignments))
        return read_constants(compile_with_tfx(config, make_target(config)))

    before, after = properties(), properties("kubeflow.components.Trainer.env={OMP_PLACES: cores}")
    changed = {node for node in before if before[node] != after[node]}
    assert changed == {"Trainer"}


def test_every_file_is_read_back_as_it_was_compiled(
    files: dict[str, Path], compiled: dict[str, CompiledPipeline]
) -> None:
    assert {name: read_package(path) for name, path in files.items()} == compiled


def test_kubeflows_sdk_loads_every_file(files: dict[str, Path]) -> None:
    for name, path in files.items():
        loaded = components.load_component_from_file(str(path))
        assert loaded.pipeline_spec.pipeline_info.name == "taxi", name
        executors = loaded.platform_spec.platforms["kubernetes"].deployment_spec.executors
        assert "exec-trainer" in executors


def test_kfp_kubernetes_parses_every_platform_setting(
    compiled: dict[str, CompiledPipeline],
) -> None:
    types = pytest.importorskip("kfp.kubernetes.kubernetes_executor_config_pb2")
    if "empty_dir_mounts" not in types.KubernetesExecutorConfig.DESCRIPTOR.fields_by_name:
        pytest.skip("kfp-kubernetes of the older stack does not know all of them")
    executors = compiled["everything"].platform["platforms"]["kubernetes"]["deploymentSpec"]
    for executor in executors["executors"].values():
        read = json_format.ParseDict(executor, types.KubernetesExecutorConfig())
        assert json_format.MessageToDict(read) == executor
