"""The ending of a run, judged by the records of its tasks."""

from __future__ import annotations

import pytest
from kubeflow_records import make_record

from pipeline.core.events import Failure
from pipeline.runners.kubeflow.page.ending import judge, list_upstream
from pipeline.runners.kubeflow.run_records.task_record import OutputRecord, TaskRecord

GRAPH = {
    "Prepare": [],
    "ExampleGen": ["Prepare"],
    "AnomalyGate": ["ExampleGen", "Prepare"],
    "Trainer": ["AnomalyGate", "ExampleGen", "Prepare"],
}


def judge_states(*records: TaskRecord) -> tuple[dict[str, str], int, str | None]:
    """Returns the states, the exit code, and the component that failed."""
    ending = judge(GRAPH, {record.node: record for record in records})
    states = {component.name: component.state for component in ending.components}
    return states, ending.exit_code, ending.failure.component if ending.failure else None


DONE = [make_record(node) for node in GRAPH]


def test_a_complete_run_ends_with_0() -> None:
    assert judge_states(*DONE) == (dict.fromkeys(GRAPH, "complete"), 0, None)


def test_the_exit_code_is_that_of_the_task_that_failed_first() -> None:
    error = Failure("color has new values", "`--set validation.severity.new_category=warn`")
    gate = make_record("AnomalyGate", state="failed", exit_code=3, error=error, started=9.0)
    later = make_record("Trainer", state="failed", exit_code=1, started=10.0)
    states, code, component = judge_states(*DONE[:2], gate, later)
    assert (states["AnomalyGate"], code, component) == ("failed", 3, "AnomalyGate")
    failure = judge(GRAPH, {"AnomalyGate": gate}).failure
    assert failure is not None
    hint = "`--parameter overrides=validation.severity.new_category=warn`"
    assert (failure.message, failure.hint) == ("color has new values", hint)


def test_a_task_that_was_killed_has_failed_and_the_memory_is_named() -> None:
    killed = make_record("Trainer", state="running")
    states, code, component = judge_states(*DONE[:3], killed)
    assert (states["Trainer"], code, component) == ("failed", 1, "Trainer")
    failure = judge(GRAPH, {"Trainer": killed}).failure
    assert failure is not None
    assert "kubeflow.components.Trainer.resources.memory" in (failure.hint or "")


def test_an_interrupted_task_interrupts_the_run() -> None:
    interrupted = make_record("Trainer", state="interrupted", exit_code=130)
    states, code, component = judge_states(*DONE[:3], interrupted)
    assert (states["Trainer"], code, component) == ("interrupted", 130, None)


def test_a_task_whose_pod_never_began_has_failed() -> None:
    states, code, component = judge_states(*DONE[:2])
    assert states == {"Prepare": "complete", "ExampleGen": "complete", "AnomalyGate": "failed"}
    assert (code, component) == (1, "AnomalyGate")


def test_a_task_without_a_record_was_cached_if_a_task_below_it_began() -> None:
    ending = judge(GRAPH, {"Prepare": DONE[0], "Trainer": DONE[3]})
    states = {component.name: component.state for component in ending.components}
    assert (states["ExampleGen"], states["AnomalyGate"]) == ("cached", "cached")
    assert "No record is left" in (ending.components[1].note or "")
    assert ending.exit_code == 0


def test_rows_and_notes_come_from_the_properties_of_the_outputs() -> None:
    properties = {"rows": '{"train": 8, "eval": 2}', "note": "3 rows have no label"}
    outputs = {"examples": OutputRecord("Examples", "s3://b/e", properties)}
    record = make_record("ExampleGen", state="cached")
    [_, component] = judge(
        {"Prepare": [], "ExampleGen": ["Prepare"]},
        {"Prepare": DONE[0], "ExampleGen": TaskRecord(**{**vars(record), "outputs": outputs})},
    ).components
    assert component.rows == {"train": 8, "eval": 2}
    assert (component.note, component.cached) == ("3 rows have no label", True)


@pytest.mark.parametrize(
    ("node", "upstream"),
    [("Prepare", []), ("ExampleGen", ["Prepare"]), ("Trainer", ["AnomalyGate", "ExampleGen"])],
)
def test_the_first_task_is_upstream_only_of_what_nothing_else_is_upstream_of(
    node: str, upstream: list[str]
) -> None:
    assert dict(list_upstream(GRAPH, "Prepare"))[node] == upstream
