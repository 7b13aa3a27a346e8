"""From a table to a configuration file that runs as it is."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.config import Config, load_config
from pipeline.core.errors import ConfigError
from pipeline.core.files import write_text_atomically
from pipeline.core.text import counted
from pipeline.onboarding.plan import Plan, make_plan
from pipeline.onboarding.render import render
from pipeline.onboarding.table import read_table


@dataclass(frozen=True)
class Proposal:
    """What was written."""

    path: Path
    config: Config
    summary: tuple[str, ...]
    """For the terminal, a line each: what is predicted from what, and the warnings."""
    warnings: tuple[str, ...]
    """What the user should look at, such as columns that may give the label away."""


def propose_config(data: Sequence[str], label: str, output: Path, force: bool = False) -> Proposal:
    """Looks at a table and writes a complete configuration, with a comment beside each guess.

    `data` are files or globs, relative to the working directory, as they will stand in the file.
    An existing `output` is only replaced if `force` is set.

    Raises:
      ConfigError: a file cannot be read or is neither CSV nor Parquet, there is no column `label`,
        it has too many values for classes, or `output` cannot be written.
      DataError: the files are no table, or the label is constant or missing.
    """
    if output.exists() and not force:
        raise ConfigError(
            f"{output} exists already", "choose another --output, or replace it with --force"
        )
    table = read_table(data, label)
    if output.resolve() in {path.resolve() for path in table.storage.paths}:
        raise ConfigError(f"--output {output}: is the table itself", "choose another file")
    plan = make_plan(table, label)
    config = _write(render(plan), output)
    return Proposal(output, config, tuple(_summarise(plan)), plan.warnings)


def _write(text: str, output: Path) -> Config:
    """Writes the file at once or not at all, and only if it can be loaded."""
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
        f"{plan.label.task.value}: '{plan.label.column}' from {len(features.chosen)} of "
        f"{counted(total, 'other column')}, in {counted(plan.table.scan.rows, 'row')}",
        f"a model is pushed if {threshold.metric} is {bound}: {plan.bound.why_bound}",
    ]
    if features.left_out:
        lines.append(f"left out: {', '.join(features.left_out)}")
    return [*lines, *(f"! {warning}" for warning in plan.warnings)]
