"""The DOT graph has a node for everything, and no text can leave its string."""

import re
from dataclasses import replace

from pipeline.runners.history.lineage.dot import render_dot
from pipeline.runners.history.lineage.lineage import trace
from pipeline.runners.workspace.places import Workspace

_LINE = re.compile(
    r"  (rankdir=LR|[ade]\d+ -> [ade]\d+|[ade]\d+ \[[a-z=, ]+"
    r'label="(?:[^"\\]|\\.)*", color=[a-z]+\]);'
)
"""A line of the graph: every string is closed on its line."""


def test_every_edge_joins_nodes_of_the_graph(shop: Workspace) -> None:
    lineage = trace("served", shop)
    first, *lines, last = render_dot(lineage).splitlines()
    assert (first, last) == ("digraph lineage {", "}")
    assert all(_LINE.fullmatch(line) for line in lines)
    nodes = {line.split()[0] for line in lines if "[" in line}
    assert {f"a{i}" for i in lineage.artifacts} | {f"e{i}" for i in lineage.executions} < nodes
    edges = [line.strip(" ;").split(" -> ") for line in lines if " -> " in line]
    assert edges
    assert {end for edge in edges for end in edge} <= nodes


def test_hostile_text_stays_within_its_string(shop: Workspace) -> None:
    lineage = trace("1", shop)
    maker = lineage.executions[1]
    assert maker.data is not None
    data = replace(maker.data, files=('"]; x [label="<b>\\', "\n}\x1b"))
    hostile = replace(lineage, executions={**lineage.executions, 1: replace(maker, data=data)})
    _, *lines, _ = render_dot(hostile).splitlines()
    assert all(_LINE.fullmatch(line) for line in lines)
    (node,) = (line for line in lines if line.startswith("  d1 ["))
    assert r"\"]; x [label=\"<b>\\" in node
