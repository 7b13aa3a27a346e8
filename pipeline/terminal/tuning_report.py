"""What the terminal says of a search: its trials, and the best values to copy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pipeline.core.commands import assignment
from pipeline.core.events import SearchResults, TrialResult
from pipeline.core.text import printable
from pipeline.terminal.training_progress import clock
from pipeline.terminal.tuning_progress import flow, shown


def print_tuning(tuning: SearchResults, console: Console) -> None:
    """The table of the trials, the best one marked."""
    keys = list(tuning.best_values)
    measure = tuning.objective.replace("_", " ")
    headers = ["trial", *_short(keys), measure, "epochs", "steps", "time", ""]
    table = Table(*map(escape, headers), box=None)
    for trial in tuning.trials:
        is_best = trial.trial == tuning.best
        values = (_text(shown(trial.values[key])) for key in keys)
        counts = (trial.measures.get(name) for name in ("epochs", "steps"))
        table.add_row(
            trial.trial,
            *values,
            "" if trial.objective is None else f"{trial.objective:,.4f}",
            *("" if count is None else f"{count:,.0f}" for count in counts),
            clock(trial.seconds),
            "failed" if trial.status == "failed" else "best" if is_best else "",
            style="bold" if is_best else "",
        )
    console.print(table)
    for trial in tuning.trials:
        if trial.message:
            # Below the table, whose columns it would take all the width from.
            told = f"trial {trial.trial}, {_outcome(trial)}: {trial.message}"
            console.print(_text(told), soft_wrap=True)


def print_best(tuning: SearchResults, console: Console) -> None:
    """The best values in both forms in which a configuration takes them."""
    values = tuning.best_values
    console.print("The best values, for the command line:")
    settings = " ".join(assignment(key, flow(value)) for key, value in values.items())
    console.print(_text(f"  {settings}"), soft_wrap=True)
    console.print("or in a file of its own, given as another --config:")
    for name, content in _nested(values).items():
        console.print(_text(f"  {name}: {flow(content)}"), soft_wrap=True)


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        target = nested
        for step in path:
            target = target.setdefault(step, {})
        target[last] = value
    return nested


def _short(keys: Sequence[str]) -> list[str]:
    """The keys without their section, where that leaves no two the same."""
    short = [printable(key.rpartition(".")[2]) for key in keys]
    return short if len(set(short)) == len(short) else [printable(key) for key in keys]


def _outcome(trial: TrialResult) -> str:
    return "failed" if trial.status == "failed" else f"{trial.runs} runs"


def _text(content: object) -> Text:
    return Text(printable(content))
