"""The command `report`, which writes the page of a run anew."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pipeline.cli.history import PAST_CONFIG
from pipeline.cli.options import ASSIGNMENTS, OUTPUT


@click.command()
@click.argument("run", required=False)
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option("--open", "shows", is_flag=True, help="Open the page in a browser.")
def report(
    run: str | None, configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None,
    shows: bool,
) -> None:  # fmt: skip
    """Write the page of RUN anew: the name of a run that `runs` lists (default: the newest run)."""
    from pipeline.core.text import printable
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.reporting.choose import choose_run
    from pipeline.runners.reporting.write import write_page

    workspace = find_workspace(configs, assignments, output)
    page = write_page(workspace, choose_run(workspace, run))
    click.echo(printable(os.path.relpath(page)))
    if shows:
        click.launch(page.as_uri())
