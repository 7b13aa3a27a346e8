"""Draws a lineage as two trees in the terminal: what it was made from, and what it made."""

from __future__ import annotations

from datetime import datetime

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from pipeline.core.text import printable, shorten
from pipeline.runners.history.lineage.facts import DataSource
from pipeline.runners.history.lineage.lineage import ArtifactNode, ExecutionNode, Lineage

_WIDEST = 10_000
"""Characters of a line in a pipe, where nothing is cut."""
_LONGEST_QUERY = 200
_STYLES = {"deleted": "red", "missing": "red", "failed": "red", "unfinished": "yellow"}


def print_lineage(lineage: Lineage, console: Console) -> None:
    """Prints the subject, a tree of what it was made from, and a tree of what it made."""
    if not console.is_terminal:
        console.width = _WIDEST
    console.print(Text(printable(lineage.subject), style="bold"))
    for remark in lineage.remarks:
        console.print(Text(printable(remark), style="yellow"))
    for title, tree in (("made from", draw_causes(lineage)), ("made", draw_effects(lineage))):
        if tree.children:
            tree.label = Text(title, style="bold")
            console.print(tree)
    for execution in lineage.executions.values():
        if not execution.inputs and not execution.outputs:
            console.print(_describe_execution(execution))


def draw_causes(lineage: Lineage) -> Tree:
    """Returns a tree with an artifact above the artifacts and the data that it was made from.

    Of a run, the roots are the artifacts that the run made no other artifact from.
    """
    makers = (lineage.artifacts[a].made_by for a in lineage.subjects)
    read = {a for maker in makers if maker is not None for a in lineage.executions[maker].inputs}
    tree, drawn = Tree(""), set[int]()
    for artifact in lineage.subjects:
        if artifact not in read:
            _add_causes(tree, artifact, lineage, drawn)
    return tree


def _add_causes(tree: Tree, artifact: int, lineage: Lineage, drawn: set[int]) -> None:
    branch = _add_artifact(tree, artifact, lineage, drawn)
    made_by = lineage.artifacts[artifact].made_by
    if branch is None or made_by is None:
        return
    maker = lineage.executions[made_by]
    if maker.data:
        branch.add(_describe_data(maker.data))
    for cause in maker.inputs:
        _add_causes(branch, cause, lineage, drawn)


def draw_effects(lineage: Lineage) -> Tree:
    """Returns a tree with an artifact above the artifacts that were made from it.

    Of a run, it holds only what lies outside of the run.
    """
    tree, drawn = Tree(""), set[int]()
    for artifact in lineage.subjects:
        branch = Tree("")
        _add_effects(branch, artifact, lineage, drawn)
        if branch.children[0].children:
            tree.children += branch.children
    return tree


def _add_effects(tree: Tree, artifact: int, lineage: Lineage, drawn: set[int]) -> None:
    branch = _add_artifact(tree, artifact, lineage, drawn)
    for reader in lineage.readers(artifact) if branch else ():
        assert branch is not None
        if not reader.outputs:
            branch.add(_describe_execution(reader))
        for effect in reader.outputs:
            if effect not in lineage.subjects:
                _add_effects(branch, effect, lineage, drawn)


def _add_artifact(tree: Tree, artifact: int, lineage: Lineage, drawn: set[int]) -> Tree | None:
    """Adds an artifact; returns its branch, or None if it stands in the tree already."""
    node = lineage.artifacts[artifact]
    if artifact in drawn:
        tree.add(Text(f"{printable(node.type)} {node.id} (see above)", style="dim"))
        return None
    drawn.add(artifact)
    maker = None if node.made_by is None else lineage.executions[node.made_by]
    return tree.add(_describe_artifact(node, maker))


def _describe_artifact(artifact: ArtifactNode, maker: ExecutionNode | None) -> Text:
    label = Text(f"{printable(artifact.type)} {artifact.id}", style="bold cyan", end="")
    if artifact.state != "live":
        label.append(f"  {artifact.state}", style=_STYLES[artifact.state])
    if maker:
        label.append("  by ", style="not bold default").append_text(_describe_execution(maker))
    facts = dict(artifact.facts) | (dict(maker.facts) if maker else {})
    words = [f"{name} {value}" for name, value in facts.items()]
    for line in (artifact.path or artifact.uri, ", ".join(words)):
        if line:
            label.append(f"\n{printable(line)}", style="not bold default dim")
    return label


def _describe_execution(execution: ExecutionNode) -> Text:
    when = datetime.fromisoformat(execution.started).strftime("%Y-%m-%d %H:%M")
    label = Text(printable(execution.component), style="not bold default")
    style = f"not bold {_STYLES.get(execution.state, 'default')}"
    label.append(", ").append(execution.state, style=style)
    run = f", run {execution.run}" if execution.run else ""
    return label.append(printable(f", {when}{run}"))


def _describe_data(data: DataSource) -> Text:
    what = f"query {shorten(data.query, _LONGEST_QUERY)}" if data.query else ", ".join(data.files)
    label = Text(printable(f"data: {what}"), style="green")
    if data.fingerprint:
        label.append(f"  fingerprint {printable(data.fingerprint)}", style="dim")
    return label
