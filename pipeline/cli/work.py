"""The commands that make something on this machine: `init`, `run`, `tune`, `schema`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from pipeline.cli.options import (
    ASSIGNMENTS,
    CONFIG,
    JSON,
    KEEP_WARM,
    LOCAL_PATH,
    OUTPUT,
    STANDARD_OUTPUT,
    report_console,
)
from pipeline.core.contracts import Node

if TYPE_CHECKING:
    from rich.console import Console

    from pipeline.terminal.summary import Summary


@click.command()
@click.option(
    "--data",
    required=True,
    multiple=True,
    metavar="FILE",
    help="Table: a file or a glob pattern. May be repeated.",
)
@click.option("--label", required=True, metavar="COLUMN", help="Column to predict.")
@click.option(
    "--output", required=True, type=LOCAL_PATH, metavar="FILE",
    help="Configuration file to write.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@click.option(
    "--key-column", metavar="COLUMN",
    help="Keep all rows with the same value in one split, such as the rows of a customer.",
)  # fmt: skip
@click.option("--time-column", metavar="COLUMN", help="Test on the latest rows by this column.")
@click.option(
    "--exclude", multiple=True, metavar="COLUMN", help="Make no feature of it. May be repeated."
)
def init(
    data: tuple[str, ...], label: str, output: Path, force: bool, key_column: str | None,
    time_column: str | None, exclude: tuple[str, ...],
) -> None:  # fmt: skip
    """Read a table and propose a complete configuration."""
    from pipeline.core.commands import pipeline_command
    from pipeline.core.text import printable
    from pipeline.onboarding import Overrides, propose_config

    overrides = Overrides(key_column, time_column, exclude)
    proposal = propose_config(list(data), label, output, force, overrides)
    for line in proposal.summary:
        click.echo(printable(line))
    click.echo(f"\nWrote {output}. Read the comments in it, then:")
    click.echo(printable(f"  {pipeline_command('run', '--config', output)}"))


@click.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@JSON
@KEEP_WARM
def run(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    json_path: Path | None, keep_warm: int | None,
) -> None:  # fmt: skip
    """Run the whole DAG on this machine.

    Exit codes: 0 pushed or already served; 1 unexpected failure; 2 wrong usage or configuration;
    3 data refused, by the gate or by another component; 4 model not blessed; 5 serving check
    failed; 6 model waits for `promote`; 7 model was withdrawn by `rollback`; 130 interrupted.
    """
    _run(configs, assignments, output, json_path, keep_warm)


@click.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@JSON
@KEEP_WARM
def tune(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    json_path: Path | None, keep_warm: int | None,
) -> None:  # fmt: skip
    """Search for the best values of the keys in the section `tuning`, and stop there.

    A later `run` trains with the result and does not search again.
    """
    _run(configs, assignments, output, json_path, keep_warm, until=Node.TUNER)


@click.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option(
    "--write",
    is_flag=True,
    help="Write the schema to schema.path, or else next to the configuration.",
)
def schema(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None, write: bool
) -> None:
    """Show the curated schema, or save it for review in git."""
    from pipeline.config import load_config
    from pipeline.core.text import printable_lines
    from pipeline.runners.local.curated_schema import make_curated_schema, write_schema
    from pipeline.runners.workspace.places import Workspace

    config = load_config(configs, assignments)
    text = make_curated_schema(config, Workspace.of(config, output))
    if not write:
        click.echo(printable_lines(text) if sys.stdout.isatty() else text, nl=False)
        return
    path = Path(config.schema_.path or configs[0].with_suffix(".schema.pbtxt"))
    write_schema(path, text)
    click.echo(f"Wrote {path}.")
    if config.schema_.path is None:
        click.echo(f"To hold new data against it, set in {configs[0]}:\n  schema: {{path: {path}}}")


def _run(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    json_path: Path | None, keep_warm: int | None, until: str | None = None,
) -> NoReturn:  # fmt: skip
    """Runs the DAG, or its part up to the component `until`, and prints the report."""
    from pipeline.config import load_config
    from pipeline.core.errors import ConfigError, PipelineError
    from pipeline.runners.local.run import run_local
    from pipeline.runners.workspace.lock import check_file
    from pipeline.runners.workspace.places import Workspace
    from pipeline.terminal.display import Display
    from pipeline.terminal.report import print_page, print_report
    from pipeline.terminal.summary import Summary

    to_terminal = json_path == STANDARD_OUTPUT
    if json_path and not to_terminal:
        check_file(json_path, "--json")
    console = report_console(stderr=to_terminal)
    try:
        config = load_config(configs, assignments)
        if until == Node.TUNER and config.tuning is None:
            raise ConfigError("tuning: the section is missing", "docs/tuning.md has an example")
        workspace = Workspace.of(config, output)
        arguments = _list_arguments(configs, assignments, output, until)
        summary = run_local(config, workspace, Display(console), until, arguments, keep_warm)
    except PipelineError as error:
        if json_path:
            _write_summary(Summary.of_refused_run(error), json_path)
        raise
    if json_path:
        _write_summary(summary, json_path)
    print_report(summary, config, console)
    if summary.report:
        print_page(workspace.report, console)
    if workspace.address:
        console.print(f"All files of the run: {workspace.address}", soft_wrap=True)
    if keep_warm:
        _print_warm_process(console)
    sys.exit(summary.exit_code)


def _print_warm_process(console: Console) -> None:
    """Prints the id, the time and the memory of the process that waits for the next run, if any."""
    from rich.filesize import decimal

    from pipeline.core.text import counted
    from pipeline.runners.local.dag_process import shared_environment
    from pipeline.runners.local.warm.client import find_warm_process

    found = find_warm_process(shared_environment())
    if found is None:
        text = (
            "No warm process waits for the next run: the code has changed since, another run has "
            "replaced the process, or it has ended."
        )
    else:
        text = (
            f"A warm process waits {counted(found.minutes, 'minute')} for the next run, and holds "
            f"{decimal(found.memory)} of memory: `kill {found.pid}` ends it."
        )
    console.print(text, soft_wrap=True)


def _list_arguments(
    configs: tuple[Path, ...],
    assignments: tuple[str, ...],
    output: Path | str | None,
    until: str | None,
) -> list[str]:
    """Returns the arguments of the command that does the same."""
    options = [*(("--config", str(path)) for path in configs)]
    options += [("--set", assignment) for assignment in assignments]
    options += [("--output", str(output))] if output else []
    verb = "tune" if until == Node.TUNER else "run"
    return [verb, *(argument for option in options for argument in option)]


def _write_summary(summary: Summary, path: Path) -> None:
    if path == STANDARD_OUTPUT:
        click.echo(summary.to_json())
    else:
        summary.write(path)
