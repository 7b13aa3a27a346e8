"""Proposes a configuration file for a table; `run` takes the file unedited."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically
from pipeline.core.processes import available_cores
from pipeline.core.text import counted
from pipeline.onboarding.choosing.budget import estimate_budget
from pipeline.onboarding.overrides import NO_OVERRIDES, Overrides
from pipeline.onboarding.plan import Plan, make_plan
from pipeline.onboarding.render import render
from pipeline.onboarding.table import read_table


@dataclass(frozen=True)
class Proposal:
    """The written configuration file."""

    path: Path
    config: Config
    summary: tuple[str, ...]
    """Lines for the terminal: the task, the features, the threshold, and the warnings."""
    warnings: tuple[str, ...]
    """What the user should check, such as columns that may leak the label."""


def propose_config(
    data: Sequence[str],
    label_column: str,
    output: Path,
    force: bool = False,
    overrides: Overrides = NO_OVERRIDES,
) -> Proposal:
    """Reads a table and writes a complete configuration with a comment beside each guess.

    Args:
      data: files or globs, relative to the working directory; the configuration repeats them.
      label_column: the column to predict.
      output: the file to write.
      force: whether to replace an existing `output`.
      overrides: what the user states about columns.

    Raises:
      ConfigError: a file cannot be read or is neither CSV nor Parquet, the label column is missing
        or has too many values for classes, `overrides` name a column that does not exist, or
        `output` cannot be written.
      DataError: the files are not a table, or the label is constant or missing.
    """
    if output.exists() and not force:
        raise ConfigError(
            f"{output} exists already", "choose another --output, or replace it with --force"
        )
    table = read_table(data, label_column)
    local = (path for path in table.storage.paths if isinstance(path, Path))
    if output.resolve() in {path.resolve() for path in local}:
        raise ConfigError(f"--output {output}: is the table itself", "choose another file")
    overrides.check(list(table.columns), label_column)
    plan = make_plan(table, label_column, overrides)
    config = _write(render(plan), output)
    return Proposal(output, config, tuple(_summarise(plan)), plan.warnings)


def _write(text: str, output: Path) -> Config:
    """Writes the file atomically, and only if it can be loaded."""
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as draft:
            draft.write(text)
            draft.flush()
            config = load_config([Path(draft.name)])
        write_text_atomically(output, text, durable=False)
    except OSError as error:
        raise ConfigError(f"--output {output}: cannot be written: {error.strerror}") from None
    return config


def _summarise(plan: Plan) -> list[str]:
    features = plan.features
    total = len(features.choices)
    threshold = plan.bound.threshold
    bound = f"at least {threshold.at_least}"
    if threshold.at_least is None:
        bound = f"at most {threshold.at_most}"
    lines = [
        f"{plan.label.task.value}: predicts '{plan.label.column}' from {len(features.chosen)} of "
        f"{counted(total, 'other column')}, {counted(plan.table.scan.rows, 'row')}",
        f"a model is pushed if {threshold.metric} is {bound}; {plan.bound.why_bound}",
    ]
    cores = available_cores()
    train_rows, outputs = plan.split_counts.rows["train"], plan.label.outputs
    budget = estimate_budget(plan.size, train_rows, plan.load, outputs, cores)
    lines.append(budget.describe(cores))
    if plan.division.summary:
        lines.append(plan.division.summary)
    if features.left_out:
        lines.append(f"left out: {', '.join(features.left_out)}")
    return [*lines, *(f"! {warning}" for warning in plan.warnings)]
