"""Each component of the pipeline has a row, whether the run reached it or not."""

from runs_for_pages import STARTED, complete, make_run, node

from pipeline.core.contracts import Node
from pipeline.core.events import ComponentChanged, JobStarted
from pipeline.runners.reporting.parts.components import list_components
from pipeline.runners.reporting.reading.metadata_view import NodeView


def test_a_component_that_was_not_reached_waits() -> None:
    gate = ComponentChanged(Node.ANOMALY_GATE, "failed", seconds=0.5)
    run = make_run(*complete(Node.EXAMPLE_GEN), gate, status="stopped by the data gate")
    rows = list_components(run, {}, notes={Node.EXAMPLE_GEN: "one file is damaged"})
    assert [(r.name, r.state, r.seconds) for r in rows] == [
        ("ExampleGen", "complete", 1.0),
        ("AnomalyGate", "failed", 0.5),
        ("Trainer", "waiting", None),
        ("Pusher", "waiting", None),
    ]
    assert rows[0].note == "one file is damaged"
    assert rows[2].upstream == ("AnomalyGate", "ExampleGen")


def test_the_component_of_a_killed_run_was_interrupted() -> None:
    at_work = ComponentChanged(Node.EXAMPLE_GEN, "running")
    killed = make_run(at_work, status="died", exit_code=None)
    assert list_components(killed, {}, {})[0].state == "interrupted"
    running = make_run(at_work, status="running", exit_code=None)
    assert list_components(running, {}, {})[0].state == "running"


def test_the_edges_of_an_older_run_come_from_its_metadata_or_from_its_order() -> None:
    older = type(STARTED)(STARTED.components)
    run = make_run(*complete(Node.EXAMPLE_GEN, Node.ANOMALY_GATE, Node.TRAINER), started=older)
    nodes = {"Trainer": NodeView("complete", ("ExampleGen",), {}), "ExampleGen": node()}
    rows = {row.name: row.upstream for row in list_components(run, nodes, {})}
    assert rows == {
        "ExampleGen": (),
        "AnomalyGate": ("ExampleGen",),
        "Trainer": ("ExampleGen",),
        "Pusher": ("Trainer",),
    }


def test_a_run_that_failed_before_its_dag_has_no_components() -> None:
    assert list_components(make_run(status="failed", exit_code=1, started=None), {}, {}) == ()


def test_a_row_has_the_jobs_of_its_component() -> None:
    at_work = ComponentChanged(Node.EXAMPLE_GEN, "running")
    job = JobStarted("flink", "taxi-examplegen-1", "http://localhost:8081/#/job/a")
    run = make_run(at_work, job, *complete(Node.EXAMPLE_GEN))
    rows = list_components(run, {}, {})
    assert [row.jobs for row in rows] == [("http://localhost:8081/#/job/a",), (), (), ()]
