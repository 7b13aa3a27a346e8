"""A task that is no component runs the entrypoint under its own name."""

from __future__ import annotations

import copy
from typing import Any

from pipeline.runners.kubeflow.compiling.added_tasks.task import add_task
from pipeline.runners.kubeflow.compiling.spec import containers_of, tasks_of

Json = dict[str, Any]


def test_an_added_task_reads_its_constants_and_the_parameters_of_the_run(raw: Json) -> None:
    spec = copy.deepcopy(raw)
    add_task(spec, "Prepare", "image", {"config": "{}"}, {"parameters": {}}, dependentTasks=["X"])
    task = tasks_of(spec)["Prepare"]
    assert task["dependentTasks"] == ["X"]
    assert task["inputs"]["parameters"]["config"] == {"runtimeValue": {"constant": "{}"}}
    assert task["inputs"]["parameters"]["data-path"] == {"componentInputParameter": "data-path"}
    definitions = spec["components"]["Prepare"]["inputDefinitions"]["parameters"]
    assert set(definitions) == set(task["inputs"]["parameters"])
    container = dict(containers_of(spec))["Prepare"]
    assert container["args"] == ["prepare", "{{$}}"]
