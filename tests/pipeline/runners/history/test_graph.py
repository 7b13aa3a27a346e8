"""The graph holds what a real run recorded."""

import pytest

from pipeline.runners.history.graph import Graph, read_graph
from pipeline.runners.workspace.database import open_metadata
from pipeline.runners.workspace.places import Workspace


@pytest.fixture
def graph(shop: Workspace) -> Graph:
    store = open_metadata(shop.metadata)
    assert store is not None
    return read_graph(store)


def test_each_execution_has_its_component_its_state_and_its_run(graph: Graph) -> None:
    pushed, interrupted = graph.runs.values()
    assert [e.component for e in pushed][:3] == ["ExampleGen", "Reference", "StatisticsGen"]
    assert {e.state for e in pushed} == {"complete"}
    states = {e.component: e.state for e in interrupted}
    assert (states["Transform"], states["Trainer"]) == ("cached", "failed")
    assert [*graph.runs] == sorted(graph.runs)


def test_the_maker_of_a_cached_artifact_is_the_execution_that_did_the_work(graph: Graph) -> None:
    (transform,) = (
        e for e in graph.executions.values() if (e.component, e.state) == ("Transform", "cached")
    )
    for artifact in transform.outputs:
        maker = graph.makers[artifact]
        assert (maker.component, maker.state) == ("Transform", "complete")
        assert maker.outputs == transform.outputs


def test_the_readers_of_an_artifact_are_the_executions_that_had_it_as_input(graph: Graph) -> None:
    (model,) = (a for a in graph.artifacts.values() if a.type == "Model")
    assert [e.component for e in graph.readers[model.id]] == ["Evaluator", "Pusher"]
    assert model.is_live
    assert model.created.tzinfo is not None


def test_properties_are_read(graph: Graph) -> None:
    examples = graph.artifacts[1]
    assert examples.type == "Examples"
    assert len(examples.properties["input_fingerprint"]) == 32
    (findings,) = (a for a in graph.artifacts.values() if a.type == "DataFindings")
    assert "rules" in graph.makers[findings.id].properties
