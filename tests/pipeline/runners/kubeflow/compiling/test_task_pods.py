"""Resources, variables and retries of a task."""

from __future__ import annotations

from typing import Any

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.runners.kubeflow.compiling.task_pods import set_resources, set_retries, set_variables

Json = dict[str, Any]


def test_resources_variables_and_retries_reach_the_specification(raw: Json) -> None:
    """Reason 11."""
    pusher_settings = {
        "resources": {"cpu": "500m", "memory": "16Gi", "gpu": 2, "gpu_type": "amd.com/gpu"},
        "requests": {"cpu": "0.25", "memory": "1G"},
        "env": {"B": "2"},
        "retries": {"count": 3, "backoff_seconds": 5, "factor": 3, "max_seconds": 60},
    }
    config = KubeflowConfig.model_validate(
        {"defaults": {"env": {"A": "1", "B": "0"}}, "components": {"Pusher": pusher_settings}}
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


def test_tasks_that_fail_by_a_verdict_are_retried_only_by_settings_of_their_own(raw: Json) -> None:
    """A retry of the gate, or of the Pusher that was given no blessed model, changes nothing."""
    nodes = raw["root"]["dag"]["tasks"].keys()
    retried = KubeflowConfig.model_validate({"defaults": {"retries": {"count": 2}}})
    assert _retried(set_retries(raw, retried)) == nodes - {"AnomalyGate", "Pusher"}

    own = {"Pusher": {"retries": {"count": 1}}, "AnomalyGate": {"env": {"A": "1"}}}
    retried = KubeflowConfig.model_validate(
        {"defaults": {"retries": {"count": 2}}, "components": own}
    )
    assert _retried(set_retries(raw, retried)) == nodes - {"AnomalyGate"}
    compiled_in = KubeflowConfig.model_validate_json(retried.model_dump_json())
    assert compiled_in == retried


def _retried(spec: Json) -> set[str]:
    return {node for node, task in spec["root"]["dag"]["tasks"].items() if "retryPolicy" in task}
