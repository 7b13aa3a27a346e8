"""Access to the parts of a specification, and steps that return a changed copy."""

from __future__ import annotations

import copy
from typing import Any

from pipeline.config.kubernetes.kubeflow import KubeflowConfig
from pipeline.runners.kubeflow.compiling.added_tasks.first_task import (
    add_first_task,
    add_run_parameters,
)
from pipeline.runners.kubeflow.compiling.caching import set_cache_policy
from pipeline.runners.kubeflow.compiling.container import set_entrypoint
from pipeline.runners.kubeflow.compiling.execution_properties import (
    add_code_and_variables,
    take_properties_from_first_task,
)
from pipeline.runners.kubeflow.compiling.report_outputs import add_report_outputs
from pipeline.runners.kubeflow.compiling.spec import containers_of, executor_of, executors_of
from pipeline.runners.kubeflow.compiling.spec_checks import drop_driver_hooks, unwrap_pipeline_spec
from pipeline.runners.kubeflow.compiling.task_names import rename_to_kebab_case
from pipeline.runners.kubeflow.compiling.task_pods import set_resources, set_retries, set_variables

Json = dict[str, Any]


def test_executor_of_a_task_is_found_through_its_component(raw: Json) -> None:
    raw["components"]["Pusher"]["executorLabel"] = "other"
    executors_of(raw)["other"] = {"container": {"image": "other"}}
    assert executor_of(raw, "Pusher") == {"container": {"image": "other"}}
    assert executor_of(raw, "ExampleGen")["container"]["image"] == "tfx"
    assert [task for task, _ in containers_of(raw)] == ["ExampleGen", "Pusher"]


def test_no_step_changes_its_argument(raw: Json) -> None:
    before = copy.deepcopy(raw)
    config = KubeflowConfig.model_validate({"defaults": {"env": {"A": "1"}}})
    for step, *arguments in (
        (unwrap_pipeline_spec,), (drop_driver_hooks,), (set_entrypoint, "image"),
        (rename_to_kebab_case,),
        (take_properties_from_first_task,), (add_run_parameters,), (add_first_task, "image", "{}"),
        (add_report_outputs, True), (set_cache_policy, True), (set_resources, config),
        (set_variables, config), (set_retries, config), (add_code_and_variables, {"Pusher": "x"}),
    ):  # fmt: skip
        step(raw, *arguments)
        assert raw == before, step
