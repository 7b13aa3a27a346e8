"""Writes a lineage as a graph in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.core.text import printable, shorten
from pipeline.runners.history.lineage.lineage import Lineage

_LONGEST = 80
"""Characters of a line in a node."""
_COLORS = {"deleted": "gray", "missing": "gray", "failed": "red", "unfinished": "orange"}


def render_dot(lineage: Lineage) -> str:
    """Returns the graph: artifacts as boxes, executions as ellipses, data as cylinders."""
    return "\n".join(["digraph lineage {", *(f"  {line};" for line in _lines(lineage)), "}"])


def _lines(lineage: Lineage) -> Iterator[str]:
    yield "rankdir=LR"
    for artifact in lineage.artifacts.values():
        facts = [f"{name} {value}" for name, value in artifact.facts.items()]
        words = [f"{artifact.type} {artifact.id}", artifact.path or artifact.uri, *facts]
        style = "bold" if artifact.id in lineage.subjects else "solid"
        yield f"a{artifact.id} [shape=box, style={style}, {_label(words, artifact.state)}]"
    for execution in lineage.executions.values():
        words = [execution.component, f"run {execution.run}", execution.state]
        yield f"e{execution.id} [shape=ellipse, {_label(words, execution.state)}]"
        yield from (f"a{a} -> e{execution.id}" for a in execution.inputs if a in lineage.artifacts)
        yield from (f"e{execution.id} -> a{a}" for a in execution.outputs if a in lineage.artifacts)
        if execution.data:
            source = execution.data.query or ", ".join(execution.data.files)
            words = [source, f"fingerprint {execution.data.fingerprint}"]
            yield f"d{execution.id} [shape=cylinder, {_label(words, '')}]"
            yield f"d{execution.id} -> e{execution.id}"


def _label(lines: list[str], state: str) -> str:
    """Returns the attributes with the text of a node; the text can end no string and no line."""
    shown = (printable(shorten(line, _LONGEST)) for line in lines)
    escaped = (line.replace("\\", "\\\\").replace('"', '\\"') for line in shown)
    label = 'label="' + "\\n".join(escaped) + '"'
    return f"{label}, color={_COLORS.get(state, 'black')}"
