"""Pod settings that the specification supports and TFX's compiler does not write.

These are resources, environment variables and retries.
"""

from __future__ import annotations

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.config.kubernetes.pods import TaskConfig, cores, escape_dollars, gigabytes
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, containers_of, tasks_of


@changes_a_copy
def set_resources(spec: Spec, config: KubeflowConfig) -> None:
    """Sets the requests and limits of each task."""
    for node, container in containers_of(spec):
        if resources := _make_resources(config.task(node)):
            container["resources"] = resources


@changes_a_copy
def set_variables(spec: Spec, config: KubeflowConfig) -> None:
    """Sets the environment variables of each task."""
    for node, container in containers_of(spec):
        if variables := sorted(config.task(node).env.items()):
            container["env"] = [
                {"name": n, "value": escape_dollars(value)} for n, value in variables
            ]


@changes_a_copy
def set_retries(spec: Spec, config: KubeflowConfig) -> None:
    """Sets how often, and after which pauses, the backend starts a failed task again."""
    for node, task in tasks_of(spec).items():
        retries = config.task(node).retries
        if retries.count:
            task["retryPolicy"] = {
                "maxRetryCount": retries.count,
                "backoffDuration": f"{retries.backoff_seconds}s",
                "backoffFactor": retries.factor,
                "backoffMaxDuration": f"{retries.max_seconds}s",
            }


def _make_resources(task: TaskConfig) -> Spec:
    """Returns requests and limits as numbers: CPU in cores, memory in gigabytes (10^9 bytes).

    Every version of the backend reads the numbers. Newer versions also read texts such as `500m`.
    """
    limits, requests = task.resources, task.requests
    numbers = {
        "cpuLimit": cores(limits.cpu),
        "memoryLimit": gigabytes(limits.memory),
        "cpuRequest": cores(requests.cpu),
        "memoryRequest": gigabytes(requests.memory),
    }
    resources: Spec = {name: number for name, number in numbers.items() if number is not None}
    if limits.gpu:
        resources["accelerator"] = {"type": limits.gpu_type, "count": str(limits.gpu)}
    return resources
