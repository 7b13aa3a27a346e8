"""The commands about past runs: `runs`, `lineage`, `gc`."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

import click

from pipeline.cli.options import ASSIGNMENTS, LOCAL_PATH, OUTPUT, report_console

PAST_CONFIG = click.option(
    "--config",
    "configs",
    multiple=True,
    type=LOCAL_PATH,
    metavar="FILE",
    help="Configuration of the runs. May be repeated. --output alone finds the runs, too.",
)
_TIMES = ("%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S")


@click.command()
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option(
    "--status", "statuses", multiple=True, metavar="STATUS",
    help="Only runs with this status, such as failed or not-blessed. May be repeated.",
)  # fmt: skip
@click.option(
    "--since", type=click.DateTime(_TIMES), metavar="DATE",
    help="Only runs since this local time, such as 2026-03-01 or 2026-03-01T04:00.",
)  # fmt: skip
@click.option("--last", type=click.IntRange(min=1), metavar="N", help="Only the newest N runs.")
@click.option("--served", is_flag=True, help="Only runs whose version is served, or was.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def runs(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    as_json: bool, statuses: tuple[str, ...], since: datetime | None, last: int | None,
    served: bool,
) -> None:  # fmt: skip
    """List the runs in the output directory of --config or --output, the newest last."""
    from pipeline.core.events import to_json
    from pipeline.core.text import readable_json
    from pipeline.runners.history.choice import RunFilter, find_workspace
    from pipeline.runners.history.past_runs import list_runs
    from pipeline.runners.history.runs_table import print_runs

    chosen = RunFilter(statuses, since, last, served)
    workspace = find_workspace(configs, assignments, output)
    everything = list_runs(workspace)
    found = chosen.choose(everything)
    if as_json:
        click.echo(readable_json(to_json(found)))
    elif found:
        print_runs(found, report_console())
    else:
        fits = f"None of the {len(everything)} runs of {workspace.name} fits the filters."
        click.echo(fits if everything else f"{workspace.name} has no runs yet.")


@click.command()
@click.argument("thing")
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option("--json", "form", flag_value="json", help="Print the lineage as JSON.")
@click.option("--dot", "form", flag_value="dot", help="Print the lineage as a graph for Graphviz.")
def lineage(
    thing: str, configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    form: str | None,
) -> None:  # fmt: skip
    """Show what made THING, and what THING made.

    THING is the number of a served version, the word `served` for the version that is served now,
    the id or the path of an artifact, or the name of a run.
    """
    from pipeline.core.events import to_json
    from pipeline.core.text import readable_json
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.history.lineage.dot import render_dot
    from pipeline.runners.history.lineage.lineage import trace
    from pipeline.runners.history.lineage.tree import print_lineage

    traced = trace(thing, find_workspace(configs, assignments, output))
    if form == "json":
        click.echo(readable_json(to_json(traced)))
    elif form == "dot":
        click.echo(render_dot(traced))
    else:
        print_lineage(traced, report_console())


@click.command()
@click.option(
    "--keep", type=click.IntRange(min=1), required=True, metavar="N",
    help="Number of newest runs that stay.",
)  # fmt: skip
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option("--dry-run", is_flag=True, help="Show what would be removed, and remove nothing.")
@click.option("--yes", is_flag=True, help="Remove without a question.")
def gc(
    keep: int, configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | str | None,
    dry_run: bool, yes: bool,
) -> None:  # fmt: skip
    """Remove old runs: artifacts, logs, reports and backups.

    Runs stay if their versions or candidates lie in the serving directory. What a run that stays
    took from the cache stays too. The serving directory itself is never touched.
    """
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.history.garbage.remove import plan_removal, remove_as_planned
    from pipeline.runners.history.garbage.table import print_plan
    from pipeline.terminal.report import describe_removed

    workspace = find_workspace(configs, assignments, output)
    if not workspace.has_runs():
        # The lock would leave files in a directory that is no output directory.
        click.echo(f"{workspace.name} has no runs: there is nothing to remove.")
        return
    with workspace.lock():
        plan = plan_removal(workspace, keep)
    print_plan(plan, report_console())
    if not plan.old:
        click.echo("There is nothing to remove.")
    elif dry_run:
        click.echo("Nothing was removed: this was a dry run.")
    else:
        if not yes:
            # Without the lock: a nightly run need not wait for an answer.
            _ask()
        with workspace.lock():
            click.echo(describe_removed(remove_as_planned(plan, workspace, keep)))


def _ask() -> None:
    """Ends the command unless a person at a terminal agrees."""
    if not sys.stdin.isatty():
        raise click.UsageError("no terminal to ask at: give --yes to remove, or --dry-run")
    click.confirm("Remove them?", abort=True)
