"""The exit task: how the file must look so that Kubeflow runs it after everything else."""

from __future__ import annotations

import json
from typing import Any

from pipeline.runners.kubeflow.compiling.added_tasks.exit_task import (
    add_exit_task,
    move_into_sub_dag,
    name_records,
)
from pipeline.runners.kubeflow.compiling.added_tasks.first_task import add_run_parameters
from pipeline.runners.kubeflow.compiling.spec import containers_of
from pipeline.runners.kubeflow.compiling.task_names import rename_to_kebab_case

Json = dict[str, Any]


def make_exit_spec(raw: Json) -> Json:
    spec = add_exit_task(add_run_parameters(raw), "image", '{"name": "taxi"}')
    result: Json = move_into_sub_dag(name_records(rename_to_kebab_case(spec), "/mnt/$(X)/runs"))
    return result


def test_the_other_tasks_keep_their_order_and_their_parameters_in_the_sub_dag(raw: Json) -> None:
    spec = make_exit_spec(raw)
    tasks = spec["root"]["dag"]["tasks"]
    sub_dag = spec["components"]["comp-pipeline"]
    assert set(tasks) == {"pipeline", "report"}
    assert sub_dag["dag"]["tasks"]["pusher"]["dependentTasks"] == ["example-gen"]
    given = tasks["pipeline"]["inputs"]["parameters"]
    assert given["overrides"] == {"componentInputParameter": "overrides"}
    root = spec["root"]["inputDefinitions"]["parameters"]
    assert set(given) == set(sub_dag["inputDefinitions"]["parameters"]) == set(root)


def test_the_exit_task_has_no_input_from_another_task(raw: Json) -> None:
    """Kubeflow cannot resolve the outputs of a failed task."""
    report = make_exit_spec(raw)["root"]["dag"]["tasks"]["report"]
    assert "producerTask" not in json.dumps(report["inputs"])
    graph = report["inputs"]["parameters"]["tasks"]["runtimeValue"]["constant"]
    assert json.loads(graph) == {"ExampleGen": [], "Pusher": ["ExampleGen"]}


def test_every_container_knows_the_directory_of_the_records(raw: Json) -> None:
    containers = dict(containers_of(make_exit_spec(raw)))
    assert set(containers) == {"example-gen", "pusher", "report"}
    for container in containers.values():
        # Kubernetes turns `$$` into `$`.
        expected = {"name": "PIPELINE_RECORDS", "value": "/mnt/$$(X)/runs"}
        assert container["env"] == [expected]
