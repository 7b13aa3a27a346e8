"""What TFX cannot say of a task's pod and the specification can: resources, variables, retries."""

from __future__ import annotations

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.config.kubernetes.pods import TaskConfig, cores, escape_dollars, gigabytes
from pipeline.runners.kubeflow.compiling.spec import Spec, changes_a_copy, containers_of, tasks_of


@changes_a_copy
def set_resources(spec: Spec, config: KubeflowConfig) -> None:
    """What each task is promised, and bound to."""
    for node, container in containers_of(spec):
        if resources := _resources(config.task(node)):
            container["resources"] = resources


@changes_a_copy
def set_variables(spec: Spec, config: KubeflowConfig) -> None:
    """The environment variables of each task."""
    for node, container in containers_of(spec):
        if variables := sorted(config.task(node).env.items()):
            container["env"] = [
                {"name": n, "value": escape_dollars(value)} for n, value in variables
            ]


@changes_a_copy
def set_retries(spec: Spec, config: KubeflowConfig) -> None:
    """How often each task is started anew when it failed."""
    for node, task in tasks_of(spec).items():
        retries = config.task(node).retries
        if retries.count:
            task["retryPolicy"] = {
                "maxRetryCount": retries.count,
                "backoffDuration": f"{retries.backoff_seconds}s",
                "backoffFactor": retries.factor,
                "backoffMaxDuration": f"{retries.max_seconds}s",
            }


def _resources(task: TaskConfig) -> Spec:
    """In numbers, which every version of the backend reads; newer ones have texts beside them."""
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
