"""The commands about past runs: `runs`."""

from __future__ import annotations

from pathlib import Path

import click

from pipeline.cli.options import ASSIGNMENTS, OUTPUT, report_console


@click.command()
@click.option("--config", "configs", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
@ASSIGNMENTS
@OUTPUT
def runs(configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None) -> None:
    """List the runs in the output directory of --config or --output, the newest last."""
    from pipeline.config import load_config
    from pipeline.runners.workspace.past_runs import list_runs
    from pipeline.runners.workspace.places import Workspace
    from pipeline.terminal.report import print_runs

    if not configs and output is None:
        raise click.UsageError("give --output or --config")
    if output is None:
        output = Workspace.of(load_config(configs, assignments), None).root
    print_runs(list_runs(Workspace(output, output / "serving")), report_console())
