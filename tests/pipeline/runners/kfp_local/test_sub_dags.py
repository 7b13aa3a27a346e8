"""Sub-DAGs and exit tasks run in the order in which Kubeflow runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from small_pipeline import MAKE_TASK, component, list_states, make, run_command, run_spec, spec

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.sub_dags import inline_sub_dags

Json = dict[str, Any]
EXIT: Json = {
    "dependentTasks": ["all"],
    "triggerPolicy": {"strategy": "ALL_UPSTREAM_TASKS_COMPLETED"},
}
STOP = component('print("Error: stopped"); sys.exit(3)')


def make_spec(components: Json, inner: Json, **root: Json) -> Json:
    """Returns a pipeline with the sub-DAG `all` of the tasks `inner`, and other tasks."""
    document = spec(components, {**inner, **root})
    tasks = document["root"]["dag"]["tasks"]
    document["components"]["comp-all"] = {
        "dag": {"tasks": {name: tasks.pop(name) for name in inner}},
        "inputDefinitions": {
            "parameters": {
                "rows": {"parameterType": "STRING"},
                "more": {"parameterType": "STRING", "defaultValue": "default"},
            }
        },
    }
    tasks["all"] = {
        "componentRef": {"name": "comp-all"},
        "inputs": {"parameters": {"rows": {"componentInputParameter": "rows"}}},
    }
    return document


def test_an_exit_task_runs_after_a_success_and_after_a_failure(tmp_path: Path) -> None:
    parts = {"make": make(), "gate": STOP, "after": component(""), "report": component("print(1)")}
    order: Json = {"gate": {"dependentTasks": ["make"]}, "after": {"dependentTasks": ["gate"]}}
    stopped = run_spec(tmp_path, make_spec(parts, {"make": MAKE_TASK, **order}, report=EXIT))
    assert list_states(stopped) == {
        "make": "ran", "gate": "failed", "after": "not started", "report": "ran",
    }  # fmt: skip
    assert stopped["gate"].exit_code == 3
    good = {**parts, "gate": component("")}
    ran = run_spec(tmp_path, make_spec(good, {"make": MAKE_TASK, **order}, report=EXIT))
    assert list_states(ran) == {
        "make": "cached", "gate": "ran", "after": "ran", "report": "ran",
    }  # fmt: skip


def test_an_exit_task_does_not_run_if_what_it_waits_for_never_started(tmp_path: Path) -> None:
    parts = {"gate": STOP, "inner": component(""), "report": component("")}
    document = make_spec(parts, {"inner": {}}, gate={}, report=EXIT)
    document["root"]["dag"]["tasks"]["all"]["dependentTasks"] = ["gate"]
    outcomes = run_spec(tmp_path, document)
    assert list_states(outcomes) == {
        "gate": "failed", "inner": "not started", "report": "not started",
    }  # fmt: skip


def test_a_failed_exit_task_is_shown_but_does_not_fail_the_run(tmp_path: Path) -> None:
    parts = {"make": make(), "report": STOP}
    file = tmp_path / "pipeline.yaml"
    file.write_text(json.dumps(make_spec(parts, {"make": MAKE_TASK}, report=EXIT)))
    result = run_command(file)
    assert result.exit_code == 0
    assert "Task report: ended with exit code 3\nError: stopped" in result.output


def test_tasks_of_a_sub_dag_read_its_parameters_and_their_defaults() -> None:
    other: Json = {"inputs": {"parameters": {"rows": {"componentInputParameter": "more"}}}}
    tasks = inline_sub_dags(
        make_spec({"make": make(), "other": make()}, {"make": MAKE_TASK, "other": other})
    )
    given = {name: task["inputs"]["parameters"]["rows"] for name, task in tasks.items()}
    assert given == {
        "make": {"componentInputParameter": "rows"},
        "other": {"runtimeValue": {"constant": "default"}},
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dependentTasks": ["all", "other"]}, "after each task it depends on"),
        ({"triggerPolicy": {"condition": "x"}}, "this triggerPolicy is not supported"),
        ({"inputs": {"artifacts": {"t": {"x": {"producerTask": "other"}}}}}, "cannot read outputs"),
    ],
)
def test_exit_tasks_that_kubeflow_would_not_run_once_are_refused(
    tmp_path: Path, change: Json, message: str
) -> None:
    parts = {"make": make(), "other": component(""), "report": component("")}
    document = make_spec(parts, {"make": MAKE_TASK}, other={}, report={**EXIT, **change})
    with pytest.raises(ConfigError, match=message):
        run_spec(tmp_path, document)


def test_a_second_exit_task_of_a_task_is_refused() -> None:
    parts = {"make": make(), "one": component(""), "two": component("")}
    with pytest.raises(ConfigError, match="runs only one exit task after all"):
        inline_sub_dags(make_spec(parts, {"make": MAKE_TASK}, one=EXIT, two=EXIT))


def test_what_a_sub_dag_cannot_do_here_is_refused() -> None:
    parts = {"make": make(), "reader": component("")}
    reader: Json = {
        "inputs": {
            "parameters": {
                "x": {"taskOutputParameter": {"producerTask": "all", "outputParameterKey": "x"}}
            }
        }
    }
    with pytest.raises(ConfigError, match="outputs of the sub-DAG all are not supported"):
        inline_sub_dags(make_spec(parts, {"make": MAKE_TASK}, reader=reader))
    inner_exit = {"make": {**MAKE_TASK, "triggerPolicy": EXIT["triggerPolicy"]}}
    with pytest.raises(ConfigError, match="only plain tasks"):
        inline_sub_dags(make_spec(parts, inner_exit))
    document = make_spec(parts, {"make": MAKE_TASK})
    document["root"]["dag"]["tasks"]["make"] = {"componentRef": {"name": "comp-make"}}
    with pytest.raises(ConfigError, match="two tasks with this name"):
        inline_sub_dags(document)
