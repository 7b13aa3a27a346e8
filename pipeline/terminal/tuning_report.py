"""The report on a finished search: the table of its trials, and the best values to copy."""

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
from pipeline.terminal.training_progress import format_seconds
from pipeline.terminal.tuning_progress import format_value, format_yaml


def print_tuning(tuning: SearchResults, console: Console) -> None:
    """Prints a row for each trial, the best trial in bold, and why trials failed."""
    keys = list(tuning.best_values)
    measure = tuning.objective.replace("_", " ")
    headers = ["trial", *_shorten(keys), measure, "epochs", "steps", "time", ""]
    table = Table(*map(escape, headers), box=None)
    for trial in tuning.trials:
        is_best = trial.trial == tuning.best
        values = (_text(format_value(trial.values[key])) for key in keys)
        counts = (trial.measures.get(name) for name in ("epochs", "steps"))
        table.add_row(
            trial.trial,
            *values,
            "" if trial.objective is None else f"{trial.objective:,.4f}",
            *("" if count is None else f"{count:,.0f}" for count in counts),
            format_seconds(trial.seconds),
            "failed" if trial.status == "failed" else "best" if is_best else "",
            style="bold" if is_best else "",
        )
    console.print(table)
    for trial in tuning.trials:
        if trial.message:
            # A message in a cell of the table would take the width of all other columns.
            line = f"trial {trial.trial}, {_describe_outcome(trial)}: {trial.message}"
            console.print(_text(line), soft_wrap=True)


def print_best_values(tuning: SearchResults, console: Console) -> None:
    """Prints the best values as arguments of the command line and as YAML."""
    values = tuning.best_values
    console.print("The best values, for the command line:")
    settings = " ".join(assignment(key, format_yaml(value)) for key, value in values.items())
    console.print(_text(f"  {settings}"), soft_wrap=True)
    console.print("or in a file of its own, given as another --config:")
    for name, content in _nest(values).items():
        console.print(_text(f"  {name}: {format_yaml(content)}"), soft_wrap=True)


def _nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns {"a.b": 1} as {"a": {"b": 1}}."""
    nested: dict[str, Any] = {}
    for key, value in values.items():
        *path, last = key.split(".")
        target = nested
        for step in path:
            target = target.setdefault(step, {})
        target[last] = value
    return nested


def _shorten(keys: Sequence[str]) -> list[str]:
    """Returns the last part of each key, or the whole keys if two last parts are equal."""
    short = [printable(key.rpartition(".")[2]) for key in keys]
    return short if len(set(short)) == len(short) else [printable(key) for key in keys]


def _describe_outcome(trial: TrialResult) -> str:
    return "failed" if trial.status == "failed" else f"{trial.runs} runs"


def _text(content: object) -> Text:
    return Text(printable(content))
