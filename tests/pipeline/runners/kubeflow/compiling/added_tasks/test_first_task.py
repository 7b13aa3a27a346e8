"""The parameters of a run, and the first task, which reads them."""

from __future__ import annotations

from typing import Any

from pipeline.runners.kubeflow.compiling.added_tasks.first_task import (
    add_first_task,
    add_run_parameters,
    set_graph_digest,
)
from pipeline.runners.kubeflow.compiling.spec import tasks_of
from pipeline.runners.kubeflow.compiling.task_names import rename_to_kebab_case

Json = dict[str, Any]


def test_run_parameters_have_empty_defaults(raw: Json) -> None:
    """Reason 12."""
    parameters = add_run_parameters(raw)["root"]["inputDefinitions"]["parameters"]
    assert set(parameters) == {"data-path", "data-fingerprint", "overrides"}
    assert {p["defaultValue"] for p in parameters.values()} == {""}


def test_graph_digest_is_a_constant_of_the_first_task(raw: Json) -> None:
    spec = rename_to_kebab_case(add_first_task(raw, "image", '{"name": "taxi"}'))
    changed = set_graph_digest(spec, "1f2e")
    parameters = tasks_of(changed)["prepare"]["inputs"]["parameters"]
    assert parameters["graph"]["runtimeValue"]["constant"] == "1f2e"
    assert parameters["config"]["runtimeValue"]["constant"] == '{"name": "taxi"}'
    assert parameters["overrides"] == {"componentInputParameter": "overrides"}
