"""The command line of each container."""

from __future__ import annotations

from typing import Any

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.runners.kfp_local.expansion import expand_variables
from pipeline.runners.kubeflow.compiling.container import set_entrypoint
from pipeline.runners.kubeflow.compiling.spec import containers_of
from pipeline.runners.kubeflow.compiling.task_pods import set_variables

Json = dict[str, Any]


def containers(spec: Json) -> list[Json]:
    return [container for _, container in containers_of(spec)]


def test_every_task_starts_the_entrypoint_with_the_flags_it_needs(raw: Json) -> None:
    """Reasons 5, 6, 7 and 9."""
    spec = set_entrypoint(raw, "registry:5000/image:1")
    container = spec["deploymentSpec"]["executors"]["ExampleGen_executor"]["container"]
    assert container["image"] == "registry:5000/image:1"
    assert container["command"] == ["python", "-m", "pipeline.runners.kubeflow.entrypoint"]
    assert container["args"] == [
        "ExampleGen", "{{$}}", "--executor_class_path", "a.B",
        "--json_serialized_inputs_spec_args", '{"parameters":{}}', "--runner=x",
    ]  # fmt: skip


def test_variables_and_arguments_with_a_dollar_survive_kubernetes(raw: Json) -> None:
    """Reason 11: Kubernetes expands variables in both."""
    text = "--label=$(A) $$5 $"
    for container in containers(raw):
        container["args"].append(text)
    config = KubeflowConfig.model_validate({"defaults": {"env": {"A": "1", "B": text}}})
    spec = set_variables(set_entrypoint(raw, "image"), config)
    for container in containers(spec):
        variables = {
            entry["name"]: expand_variables(entry["value"], {"A": "1"})
            for entry in container["env"]
        }
        assert variables == {"A": "1", "B": text}
        assert expand_variables(container["args"][-1], variables) == text
        assert container["args"][1] == "{{$}}"
