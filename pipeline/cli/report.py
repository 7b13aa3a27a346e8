"""The command `report`: the page of a run, and the page of two runs side by side."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.history import PAST_CONFIG
from pipeline.cli.options import ASSIGNMENTS, LOCAL_PATH, OUTPUT

if TYPE_CHECKING:
    from pipeline.runners.workspace.places import Workspace


@click.command()
@click.argument("run", required=False)
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option(
    "--compare", nargs=2, metavar="BEFORE AFTER",
    help="Compare two runs: each a run's name, a version, `served`, or a path.",
)  # fmt: skip
@click.option(
    "--output-file", type=LOCAL_PATH, metavar="FILE.html",
    help="Page of --compare (default: compare-BEFORE-AFTER.html in the output directory).",
)  # fmt: skip
@click.option("--open", "shows", is_flag=True, help="Open the page in a browser.")
def report(
    run: str | None, configs: tuple[Path, ...], assignments: tuple[str, ...],
    output: Path | str | None, compare: tuple[str, str] | None, output_file: Path | None,
    shows: bool,
) -> None:  # fmt: skip
    """Write the page of RUN anew: the name of a run that `runs` lists (default: the newest run)."""
    from pipeline.core.text import printable
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.reporting.choose import choose_run
    from pipeline.runners.reporting.write import write_page

    if compare and run:
        raise click.UsageError("give RUN or --compare, not both")
    if output_file and not compare:
        raise click.UsageError("--output-file belongs to --compare")
    workspace = find_workspace(configs, assignments, output)
    if compare:
        page = _compare(workspace, compare, output_file)
    else:
        page = write_page(workspace, choose_run(workspace, run))
    click.echo(printable(os.path.relpath(page)))
    if shows:
        click.launch(page.absolute().as_uri())


def _compare(workspace: Workspace, names: tuple[str, str], page: Path | None) -> Path:
    from pipeline.runners.comparing.choose import choose_side
    from pipeline.runners.comparing.write import check_page, write_comparison_page
    from pipeline.runners.workspace.lock import check_file

    if page:
        check_file(page, "--output-file")
        check_page(page)
    before, after = (choose_side(workspace, name) for name in names)
    return write_comparison_page(workspace, before, after, page)
