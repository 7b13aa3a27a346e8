"""Nodes and artifacts of a recorded run, read from its metadata."""

from recorded_runs import Recorded

from pipeline.core.contracts import Node
from pipeline.runners.reporting.reading.metadata_view import NodeView, read_nodes
from pipeline.runners.workspace.snapshot import open_snapshot


def nodes_of(recorded: Recorded, kind: str) -> dict[str, NodeView]:
    with open_snapshot(recorded.workspace.metadata) as store:
        assert store
        return read_nodes(store, recorded.run_ids[kind])


def test_an_artifact_has_its_producer_and_its_parents(recorded: Recorded) -> None:
    nodes = nodes_of(recorded, "pushed")
    assert {view.state for view in nodes.values()} == {"complete"}
    model = nodes[Node.TRAINER].outputs["model"]
    graph = nodes[Node.TRANSFORM].outputs["transform_graph"]
    assert graph.id in model.parents
    assert model.run_id == recorded.run_ids["pushed"]
    assert nodes[Node.TRAINER].upstream == ("SchemaCurator", "Transform")
    assert nodes[Node.EXAMPLE_GEN].outputs["examples"].properties["input_fingerprint"]


def test_a_cached_artifact_belongs_to_the_run_that_made_it(recorded: Recorded) -> None:
    first, second = nodes_of(recorded, "pushed"), nodes_of(recorded, "cached")
    assert {view.state for view in second.values()} == {"cached"}
    for node, view in second.items():
        assert view.outputs == first[node].outputs
        assert view.upstream == first[node].upstream


def test_a_failed_node_has_no_outputs(recorded: Recorded) -> None:
    nodes = nodes_of(recorded, "failed")
    assert (nodes[Node.TRAINER].state, nodes[Node.TRAINER].outputs) == ("failed", {})
    assert Node.EVALUATOR not in nodes


def test_an_unknown_run_has_no_nodes(recorded: Recorded) -> None:
    with open_snapshot(recorded.workspace.metadata) as store:
        assert store
        assert read_nodes(store, "2020-01-01T00:00:00") == {}
