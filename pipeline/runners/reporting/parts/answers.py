"""What a user asks after any run, and only the workspace knows: see Report.answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.contracts import Node, Split
from pipeline.report.content import Answer, ServedVersion, TrainingPart
from pipeline.report.words import count, duration, moment
from pipeline.runners.reporting.parts import commands
from pipeline.runners.reporting.reading.run_files import RunFiles
from pipeline.runners.workspace.past_summary import read_summary
from pipeline.runners.workspace.places import Workspace
from pipeline.terminal.summary import Summary


@dataclass(frozen=True)
class Cost:
    """What the last training took."""

    run: str | None
    """The name of the run that trained; None if `gc` removed the run."""
    seconds: float
    """Wall time of the Trainer; without the run, of all epochs."""
    rows: int | None
    """Rows of the split train."""
    whole: float | None
    """Wall time of the whole run, in seconds."""


def answer(
    run: RunFiles, root: Path, served: ServedVersion | None, cost: Cost | None
) -> Iterator[Answer]:
    """Yields the answers, at most one to a question.

    Args:
      root: the output directory.
    """
    if served:
        trace = f"`{commands.trace_served(run, root)}` shows everything that it was made from."
        maker = f"{describe_maker(served, run.directory.name)} {trace}"
        yield Answer("maker", maker, "lineage")
        yield Answer("back", _describe_back(run, root, served), "verdict")
    if cost:
        yield Answer("cost", describe_cost(cost, run.directory.name), "training")


def describe_maker(served: ServedVersion, this: str) -> str:
    """Returns the sentence about the served version; `this` is the name of the page's run."""
    subject = "This run" if served.run == this else f"Run {served.run}"
    made = f"{subject} made" if served.run else "A run that is no longer on record made"
    was_served = f"had been served since {moment(served.since)}" if served.since else "was served"
    return (
        f"{made} version {served.version}. When this page was written, version {served.version} "
        f"{was_served}."
    )


def _describe_back(run: RunFiles, root: Path, served: ServedVersion) -> str:
    if served.earlier is None:
        return f"No earlier version than {served.version} was left when this page was written."
    command = commands.roll_back(run, root, served.earlier)
    return (
        f"`{command}` serves version {served.earlier} again, which was served before version "
        f"{served.version}."
    )


def describe_cost(cost: Cost, this: str) -> str:
    """Returns the sentence about the last training; `this` is the name of the page's run."""
    if cost.run is None:
        return f"The last training took {duration(cost.seconds)} for {_rows(cost)}."
    where = "in this run" if cost.run == this else f"in run {cost.run}"
    whole = f"; that whole run took {duration(cost.whole)}" if cost.whole is not None else ""
    took = f"took {duration(cost.seconds)} for {_rows(cost)}"
    return f"The last training, {where}, {took}{whole}."


def _rows(cost: Cost) -> str:
    return f"{count(cost.rows)} rows" if cost.rows is not None else "an unknown number of rows"


def find_cost(workspace: Workspace, name: str, training: TrainingPart | None) -> Cost | None:
    """Returns what the last training took that ended before the run with this name did.

    Args:
      training: of the run itself, for a workspace whose older runs were removed.
    """
    for directory in reversed(workspace.run_directories()):
        if directory.name <= name and (cost := _read_cost(read_summary(directory).summary)):
            return cost
    return find_own_cost(training)


def find_own_cost(training: TrainingPart | None) -> Cost | None:
    """Returns what the training of the page's model took, by its epochs alone."""
    seconds = [epoch.values.get("seconds") for epoch in training.epochs] if training else []
    known = [value for value in seconds if value is not None]
    return Cost(None, sum(known), training.rows, None) if training and known else None


def _read_cost(summary: Summary) -> Cost | None:
    trainer = next((c for c in summary.components if c.name == Node.TRAINER), None)
    if trainer is None or trainer.state != "complete" or trainer.seconds is None:
        return None
    rows = (c.rows[Split.TRAIN] for c in summary.components if c.rows and Split.TRAIN in c.rows)
    return Cost(summary.run, trainer.seconds, next(rows, None), summary.seconds)
