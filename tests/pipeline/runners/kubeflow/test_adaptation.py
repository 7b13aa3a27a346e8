"""Why TFX's own output does not run on open-source Kubeflow, one reason a test.

The numbers are those of docs/kubeflow.md, where each error stands that is prevented here.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.expansion import expand_variables
from pipeline.runners.kubeflow.compiling.caching import set_cache_policy
from pipeline.runners.kubeflow.compiling.container import set_entrypoint
from pipeline.runners.kubeflow.compiling.execution_properties import (
    add_code_and_variables,
    read_constants,
    take_properties_from_first_task,
)
from pipeline.runners.kubeflow.compiling.first_task import add_first_task, add_run_parameters
from pipeline.runners.kubeflow.compiling.platform import make_platform_spec
from pipeline.runners.kubeflow.compiling.report_outputs import add_report_outputs
from pipeline.runners.kubeflow.compiling.spec_checks import (
    check_schema_version,
    drop_driver_hooks,
    refuse_nodes_without_container,
    unwrap_pipeline_spec,
)
from pipeline.runners.kubeflow.compiling.task_names import (
    refuse_illegal_names,
    rename_to_kebab_case,
    task_name,
)
from pipeline.runners.kubeflow.compiling.task_pods import (
    set_resources,
    set_retries,
    set_variables,
)

Json = dict[str, Any]


@pytest.fixture
def raw() -> Json:
    """Two nodes as TFX 1.16 and 1.21 compile them, the second after the first."""
    return {
        "schemaVersion": "2.1.0",
        "pipelineInfo": {"name": "taxi"},
        "root": {"dag": {"tasks": {"ExampleGen": _example_gen(), "Pusher": _pusher()}}},
        "components": {
            "ExampleGen": {
                "executorLabel": "ExampleGen_executor",
                "inputDefinitions": {"parameters": {"seed": {"parameterType": "NUMBER_INTEGER"}}},
            },
            "Pusher": {
                "executorLabel": "Pusher_executor",
                "inputDefinitions": {"artifacts": {"examples": {"artifactType": {}}}},
            },
        },
        "deploymentSpec": {
            "executors": {
                "ExampleGen_executor": {"container": {**_container(), "lifecycle": {"x": 1}}},
                "Pusher_executor": {"container": _container()},
            }
        },
    }


def _example_gen() -> Json:
    return {
        "taskInfo": {"name": "ExampleGen"},
        "componentRef": {"name": "ExampleGen"},
        "inputs": {"parameters": {"seed": {"runtimeValue": {"constant": 7.0}}}},
        "cachingOptions": {"enableCache": True},
    }


def _pusher() -> Json:
    return {
        "taskInfo": {"name": "Pusher"},
        "componentRef": {"name": "Pusher"},
        "dependentTasks": ["ExampleGen"],
        "inputs": {
            "artifacts": {
                "examples": {
                    "taskOutputArtifact": {
                        "producerTask": "ExampleGen",
                        "outputArtifactKey": "examples",
                    }
                }
            }
        },
    }


def _container() -> Json:
    return {
        "image": "tfx",
        "command": ["python", "-m", "tfx"],
        "args": [
            "--executor_class_path", "a.B",
            "--json_serialized_invocation_args", "{{$}}",
            "--json_serialized_inputs_spec_args", '{\n  "parameters": {}\n}',
            "--runner=x",
        ],
    }  # fmt: skip


def _containers(spec: Json) -> list[Json]:
    return [executor["container"] for executor in spec["deploymentSpec"]["executors"].values()]


def test_1_unknown_template_format(raw: Json) -> None:
    assert unwrap_pipeline_spec({"displayName": "taxi", "pipelineSpec": raw}) == raw


def test_2_only_the_schema_2_1_0_is_read(raw: Json) -> None:
    assert check_schema_version(raw) == raw
    with pytest.raises(ConfigError, match=r"2\.0\.0"):
        check_schema_version({**raw, "schemaVersion": "2.0.0"})


@pytest.mark.parametrize("kind", ["resolver", "importer"])
def test_3_resolver_executors_are_not_implemented(raw: Json, kind: str) -> None:
    assert refuse_nodes_without_container(raw) == raw
    raw["deploymentSpec"]["executors"]["Latest_executor"] = {kind: {}}
    with pytest.raises(ConfigError, match=f"Latest_executor is of the kind {kind}"):
        refuse_nodes_without_container(raw)


def test_4_argo_refuses_underscores_in_names_and_references(raw: Json) -> None:
    spec = rename_to_kebab_case(raw)
    tasks = spec["root"]["dag"]["tasks"]
    assert list(tasks) == ["example-gen", "pusher"]
    pusher = tasks["pusher"]
    assert pusher["dependentTasks"] == ["example-gen"]
    assert pusher["taskInfo"]["name"] == "pusher"
    given = pusher["inputs"]["artifacts"]["examples"]["taskOutputArtifact"]
    assert given["producerTask"] == "example-gen"
    for task in tasks.values():
        component = spec["components"][task["componentRef"]["name"]]
        assert component["executorLabel"] in spec["deploymentSpec"]["executors"]
    assert "_executor" not in json.dumps(spec)


@pytest.mark.parametrize(
    ("node", "name"),
    [
        ("ExampleGen", "example-gen"),
        ("TFXNode", "tfx-node"),
        ("Import.schema_v2", "import-schema-v2"),
        ("Pusher", "pusher"),
    ],
)
def test_4_names_are_kebab_case(node: str, name: str) -> None:
    assert task_name(node) == name


def test_5_6_7_9_tasks_start_at_our_entrypoint_and_keep_what_it_needs(raw: Json) -> None:
    spec = set_entrypoint(raw, "registry:5000/image:1")
    container = spec["deploymentSpec"]["executors"]["ExampleGen_executor"]["container"]
    assert container["image"] == "registry:5000/image:1"
    assert container["command"] == ["python", "-m", "pipeline.runners.kubeflow.entrypoint"]
    assert container["args"] == [
        "ExampleGen", "{{$}}", "--executor_class_path", "a.B",
        "--json_serialized_inputs_spec_args", '{"parameters":{}}', "--runner=x",
    ]  # fmt: skip


def test_8_driver_hooks_that_nobody_runs_are_dropped(raw: Json) -> None:
    assert any("lifecycle" in container for container in _containers(raw))
    assert not any("lifecycle" in c for c in _containers(drop_driver_hooks(raw)))


def test_8_only_what_its_inputs_decide_is_cached(raw: Json) -> None:
    def cached(cache: bool) -> dict[str, bool]:
        tasks = set_cache_policy(add_first_task(raw, "image", "{}"), cache)["root"]["dag"]
        return {n: t["cachingOptions"]["enableCache"] for n, t in tasks["tasks"].items()}

    assert cached(True) == {"ExampleGen": True, "Pusher": False, "Prepare": False}
    assert set(cached(False).values()) == {False}


def test_10_the_cache_sees_the_code_behind_a_tag(raw: Json) -> None:
    before, after = (add_code_and_variables(raw, {"ExampleGen": f"--code={n}"}) for n in "12")
    assert read_constants(before)["ExampleGen"] == {"surroundings": "--code=1", "seed": 7}
    assert read_constants(before) != read_constants(after)


def test_11_what_tfx_cannot_say_of_a_pod(raw: Json) -> None:
    trained = {
        "resources": {"cpu": "500m", "memory": "16Gi", "gpu": 2, "gpu_type": "amd.com/gpu"},
        "requests": {"cpu": "0.25", "memory": "1G"},
        "env": {"B": "2"},
        "retries": {"count": 3, "backoff_seconds": 5, "factor": 3, "max_seconds": 60},
    }
    config = KubeflowConfig.model_validate(
        {"defaults": {"env": {"A": "1", "B": "0"}}, "components": {"Pusher": trained}}
    )
    spec = set_retries(set_variables(set_resources(raw, config), config), config)
    executors = spec["deploymentSpec"]["executors"]
    assert "resources" not in executors["ExampleGen_executor"]["container"]
    pusher = executors["Pusher_executor"]["container"]
    assert pusher["resources"] == {
        "cpuLimit": 0.5,
        "memoryLimit": 17.179869184,
        "cpuRequest": 0.25,
        "memoryRequest": 1.0,
        "accelerator": {"type": "amd.com/gpu", "count": "2"},
    }
    assert pusher["env"] == [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]
    assert spec["root"]["dag"]["tasks"]["Pusher"]["retryPolicy"] == {
        "maxRetryCount": 3,
        "backoffDuration": "5s",
        "backoffFactor": 3,
        "backoffMaxDuration": "60s",
    }
    assert "retryPolicy" not in spec["root"]["dag"]["tasks"]["ExampleGen"]


def test_11_texts_with_a_dollar_arrive_as_they_are(raw: Json) -> None:
    """Kubernetes replaces variables in both, with those of the container."""
    text = "--label=$(A) $$5 $"
    for container in _containers(raw):
        container["args"].append(text)
    config = KubeflowConfig.model_validate({"defaults": {"env": {"A": "1", "B": text}}})
    spec = set_variables(set_entrypoint(raw, "image"), config)
    for container in _containers(spec):
        variables = {
            entry["name"]: expand_variables(entry["value"], {"A": "1"})
            for entry in container["env"]
        }
        assert variables == {"A": "1", "B": text}
        assert expand_variables(container["args"][-1], variables) == text
        assert container["args"][1] == "{{$}}"


def test_11_what_only_kubernetes_knows_is_in_the_second_document() -> None:
    config = KubeflowConfig.model_validate(
        {
            "storage": {"claim": "runs", "path": "/runs/"},
            "components": {
                "Trainer": {
                    "node_selector": {"gpu": "a100"},
                    "tolerations": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}, {}],
                    "volumes": [{"claim": "cache", "path": "/cache"}],
                    "secrets": {"s3": {"secretkey": "AWS_SECRET_ACCESS_KEY"}},
                    "secret_files": {"gcs-key": "/var/secrets/google"},
                    "shared_memory": "2Gi",
                    "timeout_seconds": 3600,
                    "image_pull_policy": "Always",
                }
            },
        }
    )
    assert config.storage is not None
    document = make_platform_spec(["Trainer", "Pusher"], config, config.storage)
    executors = document["platforms"]["kubernetes"]["deploymentSpec"]["executors"]
    storage = {"mountPath": "/runs", "constant": "runs"}
    assert executors["exec-pusher"] == {"pvcMount": [storage]}
    assert executors["exec-trainer"] == {
        "pvcMount": [storage, {"mountPath": "/cache", "constant": "cache"}],
        "nodeSelector": {"labels": {"gpu": "a100"}},
        "tolerations": [
            {"key": "gpu", "operator": "Equal", "value": "yes", "effect": "NoSchedule"},
            {"operator": "Exists"},
        ],
        "secretAsEnv": [
            {
                "secretName": "s3",
                "keyToEnv": [{"secretKey": "secretkey", "envVar": "AWS_SECRET_ACCESS_KEY"}],
            }
        ],
        "secretAsVolume": [{"mountPath": "/var/secrets/google", "secretName": "gcs-key"}],
        "emptyDirMounts": [
            {
                "volumeName": "shared-memory",
                "mountPath": "/dev/shm",
                "medium": "Memory",
                "sizeLimit": "2Gi",
            }
        ],
        "imagePullPolicy": "Always",
        "activeDeadlineSeconds": "3600",
    }


@pytest.mark.parametrize(
    "value",
    [
        {"componentInputParameter": "seed"},
        {"runtimeValue": {"constant": '{"a": "{\\"__class__\\": \\"RuntimeParameter\\"}"}'}},
    ],
)
def test_12_parameters_of_tfx_would_arrive_as_their_names(raw: Json, value: Json) -> None:
    raw["root"]["dag"]["tasks"]["ExampleGen"]["inputs"]["parameters"]["seed"] = value
    with pytest.raises(ConfigError, match=r"ExampleGen\.seed is a RuntimeParameter"):
        read_constants(raw)


def test_12_parameters_of_a_run_have_defaults(raw: Json) -> None:
    parameters = add_run_parameters(raw)["root"]["inputDefinitions"]["parameters"]
    assert set(parameters) == {"data-path", "data-fingerprint", "overrides"}
    assert {p["defaultValue"] for p in parameters.values()} == {""}


@pytest.mark.parametrize(
    ("pipeline", "nodes", "told"),
    [
        ("Taxi", ["Pusher"], "name: Taxi"),
        ("taxi_trips", ["Pusher"], "name: taxi_trips"),
        ("taxi", ["My Pusher!"], "my-pusher! is not a legal name"),
        ("taxi", ["x" * 64], "is not a legal name"),
        ("taxi", ["ExampleGen", "example_gen"], "ExampleGen and example_gen would both"),
    ],
)
def test_13_names_that_the_backend_refuses(pipeline: str, nodes: list[str], told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        refuse_illegal_names(pipeline, nodes)
    assert told in caught.value.message


def test_whole_numbers_stay_whole(raw: Json) -> None:
    value = read_constants(raw)["ExampleGen"]["seed"]
    assert (value, type(value)) == (7, int)


def test_every_task_gets_its_properties_from_the_first_one(raw: Json) -> None:
    spec = rename_to_kebab_case(
        add_first_task(take_properties_from_first_task(raw), "image", '{"name": "taxi"}')
    )
    tasks = spec["root"]["dag"]["tasks"]
    promised = spec["components"]["comp-prepare"]["outputDefinitions"]["parameters"]
    for name in ("example-gen", "pusher"):
        assert tasks[name]["inputs"]["parameters"] == {
            "properties": {
                "taskOutputParameter": {"producerTask": "prepare", "outputParameterKey": name}
            }
        }
        assert name in promised
        assert "prepare" in tasks[name]["dependentTasks"]
    assert tasks["pusher"]["dependentTasks"] == ["example-gen", "prepare"]


def test_reports_are_outputs_of_those_who_report(raw: Json) -> None:
    raw["components"]["Evaluator"] = {"outputDefinitions": {"artifacts": {"evaluation": {}}}}
    spec = add_report_outputs(raw)
    outputs = spec["components"]["Evaluator"]["outputDefinitions"]["artifacts"]
    assert set(outputs) == {"evaluation", "report", "metrics"}
    assert spec["components"]["Pusher"] == raw["components"]["Pusher"]


def test_no_step_changes_what_it_is_given(raw: Json) -> None:
    before = copy.deepcopy(raw)
    config = KubeflowConfig.model_validate({"defaults": {"env": {"A": "1"}}})
    for step, *arguments in (
        (unwrap_pipeline_spec,), (drop_driver_hooks,), (set_entrypoint, "image"),
        (rename_to_kebab_case,),
        (take_properties_from_first_task,), (add_run_parameters,), (add_first_task, "image", "{}"),
        (add_report_outputs,), (set_cache_policy, True), (set_resources, config),
        (set_variables, config), (set_retries, config), (add_code_and_variables, {"Pusher": "x"}),
    ):  # fmt: skip
        step(raw, *arguments)
        assert raw == before, step
