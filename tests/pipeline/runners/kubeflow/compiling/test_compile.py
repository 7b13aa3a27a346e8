"""The compiled file of real configurations: what every task refers to, and who accepts it."""

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

from pipeline.config import Config, load_config
from pipeline.config.kubernetes.kubeflow import NODES
from pipeline.core.errors import ConfigError
from pipeline.runners.kubeflow.client.package import read_package
from pipeline.runners.kubeflow.compiling.compile import compile_pipeline, compile_with_tfx
from pipeline.runners.kubeflow.compiling.compiled_pipeline import (
    CompiledPipeline,
    compute_graph_digest,
)
from pipeline.runners.kubeflow.compiling.execution_properties import read_constants
from pipeline.runners.kubeflow.compiling.target import make_target

ROOT = Path(__file__).parents[5]
TAXI = ROOT / "configs/taxi.yaml"
OVERLAYS = ROOT / "configs/overlays"
TUNING = 'tuning.search."training.learning_rate"={min: 0.001, max: 0.1}'
EVERYTHING = {
    "resources": {"cpu": "4", "memory": "16Gi", "gpu": 1},
    "requests": {"cpu": "500m", "memory": "8Gi"},
    "env": {"NCCL_DEBUG": "INFO"},
    "secrets": {"mlpipeline-minio-artifact": {"accesskey": "AWS_ACCESS_KEY_ID"}},
    "secret_files": {"gcs-key": "/var/secrets/google"},
    "node_selector": {"pool": "gpu"},
    "tolerations": [{"key": "gpu", "effect": "NoSchedule"}],
    "volumes": [{"claim": "cache", "path": "/cache"}],
    "shared_memory": "2Gi",
    "retries": {"count": 2, "backoff_seconds": 30, "factor": 3, "max_seconds": 600},
    "timeout_seconds": 7200,
    "image_pull_policy": "IfNotPresent",
}
VARIANTS: dict[str, tuple[list[str], list[str]]] = {
    "taxi": ([], []),
    "multi-worker": (["multi_worker"], []),
    "parameter-server": (["parameter_server"], []),
    "tuning": ([], [TUNING]),
    "warm-start": ([], ["training.warm_start=true"]),
    "bigquery": (
        [],
        ["data={source: bigquery, query: SELECT 1, split: {by: key, column: company}}"],
    ),
    "tfrecord": ([], ["data={source: tfrecord, path: 'trips/*.tfrecord.gz'}"]),
    "everything": ([], [f"kubeflow.defaults={json.dumps(EVERYTHING)}", "kubeflow.cache=false"]),
}


def configured(overlays: list[str], assignments: list[str]) -> Config:
    files = [TAXI, OVERLAYS / "kubeflow.yaml", *(OVERLAYS / f"{o}.yaml" for o in overlays)]
    return load_config(files, assignments)


@pytest.fixture(scope="module")
def compiled() -> dict[str, CompiledPipeline]:
    return {name: compile_pipeline(configured(*given)) for name, given in VARIANTS.items()}


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
    """The producer, the kind and the key of each thing a task takes."""
    for given in task["inputs"].get("artifacts", {}).values():
        source = given["taskOutputArtifact"]
        yield source["producerTask"], "artifacts", source["outputArtifactKey"]
    for given in task["inputs"]["parameters"].values():
        if source := given.get("taskOutputParameter"):
            yield source["producerTask"], "parameters", source["outputParameterKey"]


@pytest.mark.parametrize("name", VARIANTS)
def test_everything_that_is_referred_to_is_there(
    compiled: dict[str, CompiledPipeline], name: str
) -> None:
    spec, platform = copy.deepcopy(compiled[name].spec), compiled[name].platform
    tasks, parts = spec["root"]["dag"]["tasks"], spec["components"]
    labels = set(spec["deploymentSpec"]["executors"])
    for task_name, task in tasks.items():
        assert task["taskInfo"]["name"] == task_name
        component = parts[task["componentRef"]["name"]]
        assert component["executorLabel"] in labels
        assert set(task.get("dependentTasks", ())) <= set(tasks)
        for producer, kind, key in references(task):
            made = parts[tasks[producer]["componentRef"]["name"]]["outputDefinitions"]
            assert key in made[kind]
            assert producer in task["dependentTasks"]
    assert set(platform["platforms"]["kubernetes"]["deploymentSpec"]["executors"]) == labels
    # Nothing of the configuration is in the graph but in the first task.
    del tasks["prepare"]["inputs"]["parameters"]["config"]
    assert "chicago_taxi" not in json.dumps(spec)


def test_every_component_of_any_pipeline_has_a_pod_in_the_configuration(
    compiled: dict[str, CompiledPipeline],
) -> None:
    found = {
        executor["container"]["args"][0]
        for pipeline in compiled.values()
        for executor in pipeline.spec["deploymentSpec"]["executors"].values()
    }
    assert found - {"prepare"} == set(NODES) - {"Prepare"}


def test_the_same_pipeline_gives_the_same_file(files: dict[str, Path]) -> None:
    """In another process, whose sets are in another order, by the command."""
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


@pytest.mark.parametrize(
    ("assignment", "changes"),
    [
        ("training.epochs=3", False),
        ("data.path=/elsewhere/*.csv", False),
        ("kubeflow.image=registry:5000/other:2", False),
        ("kubeflow.cache=false", True),
        ("kubeflow.components.Trainer.timeout_seconds=60", True),
        ("kubeflow.storage.path=/elsewhere", True),
        ("training.workers=2", True),
        ("beam.args=[--direct_num_workers=2]", True),
        (TUNING, True),
    ],
)
def test_the_digest_tells_what_a_run_cannot_change(
    compiled: dict[str, CompiledPipeline], assignment: str, changes: bool
) -> None:
    before, after = compiled["taxi"], compile_pipeline(configured([], [assignment]))
    digests = [compute_graph_digest(p.spec, p.platform) for p in (before, after)]
    assert (digests[0] != digests[1]) == changes
    given = after.spec["root"]["dag"]["tasks"]["prepare"]["inputs"]["parameters"]["graph"]
    assert given["runtimeValue"]["constant"] == digests[1]


def test_a_task_with_other_variables_is_another_one_to_the_cache() -> None:
    def properties(*assignments: str) -> dict[str, Any]:
        config = configured([], list(assignments))
        return read_constants(compile_with_tfx(config, make_target(config)))

    before, after = properties(), properties("kubeflow.components.Trainer.env={OMP_PLACES: cores}")
    changed = {node for node in before if before[node] != after[node]}
    assert changed == {"Trainer"}


@pytest.mark.parametrize("given", ["[]", "[{claim: pipeline, path: /mnt/pipeline}]"])
def test_the_workers_see_the_storage_too(given: str) -> None:
    target = make_target(configured(["multi_worker"], [f"kubeflow.workers.volumes={given}"]))
    assert target.workers is not None
    assert [v.path for v in target.workers.volumes] == ["/mnt/pipeline"]
    assert target.serving_directory == "/mnt/pipeline/taxi/serving"


@pytest.mark.parametrize("directory", ["models", "/models", "/mnt/pipelines/models"])
def test_what_is_served_has_to_outlive_its_task(directory: str) -> None:
    with pytest.raises(ConfigError, match=r"is on no volume of the task Prepare"):
        make_target(configured([], [f"serving.directory={directory}"]))
    volume = "kubeflow.defaults.volumes=[{claim: models, path: /models}]"
    inside = configured([], ["serving.directory=/models/taxi", volume])
    assert make_target(inside).serving_directory == "/models/taxi"


@pytest.mark.parametrize("directory", ["/mnt/pipeline/../models", "/mnt/pipeline//models"])
def test_what_is_served_is_named_by_its_place(directory: str) -> None:
    with pytest.raises(ConfigError, match=r"serving\.directory: .* is not a normalized path"):
        make_target(configured([], [f"serving.directory={directory}"]))


@pytest.mark.parametrize("missing", ["image", "storage"])
def test_what_kubeflow_needs_is_asked_for(missing: str) -> None:
    with pytest.raises(ConfigError, match=rf"kubeflow\.{missing}: is required") as caught:
        compile_pipeline(configured([], [f"kubeflow.{missing}=null"]))
    assert "--set kubeflow" in caught.value.hint


def test_every_file_is_read_as_it_was_compiled(
    files: dict[str, Path], compiled: dict[str, CompiledPipeline]
) -> None:
    assert {name: read_package(path) for name, path in files.items()} == compiled


def test_kubeflows_sdk_loads_every_file(files: dict[str, Path]) -> None:
    for name, path in files.items():
        loaded = components.load_component_from_file(str(path))
        assert loaded.pipeline_spec.pipeline_info.name == "taxi", name
        executors = loaded.platform_spec.platforms["kubernetes"].deployment_spec.executors
        assert "exec-trainer" in executors


def test_the_platforms_own_types_take_every_option(compiled: dict[str, CompiledPipeline]) -> None:
    types = pytest.importorskip("kfp.kubernetes.kubernetes_executor_config_pb2")
    if "empty_dir_mounts" not in types.KubernetesExecutorConfig.DESCRIPTOR.fields_by_name:
        pytest.skip("kfp-kubernetes of the older stack does not know all of them")
    executors = compiled["everything"].platform["platforms"]["kubernetes"]["deploymentSpec"]
    for executor in executors["executors"].values():
        read = json_format.ParseDict(executor, types.KubernetesExecutorConfig())
        assert json_format.MessageToDict(read) == executor
