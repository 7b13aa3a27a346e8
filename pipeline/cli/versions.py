"""The commands about what is served: `versions`, `rollback`, `promote`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.cli.history import PAST_CONFIG
from pipeline.cli.options import ASSIGNMENTS, OUTPUT, report_console

if TYPE_CHECKING:
    from components.served_model.changes import Change

_REASON = click.option(
    "--reason", default="", metavar="TEXT", help="Why; `versions` and later runs show it."
)


@click.command()
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def versions(
    configs: tuple[Path, ...],
    assignments: tuple[str, ...],
    output: Path | str | None,
    as_json: bool,
) -> None:
    """List the versions in the serving directory, and why each is there.

    States: served; earlier (served before); withdrawn (by a rollback); waiting (for `promote`).
    """
    from pipeline.core.events import to_json
    from pipeline.core.text import readable_json
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.versions.listing import list_versions
    from pipeline.runners.versions.table import print_versions

    workspace = find_workspace(configs, assignments, output)
    found = list_versions(workspace)
    if as_json:
        click.echo(readable_json(to_json(found)))
    elif found:
        print_versions(found, report_console())
    else:
        click.echo(f"{workspace.store or workspace.serving} has no versions yet.")


@click.command()
@click.argument("version", required=False)
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@_REASON
def rollback(
    version: str | None, configs: tuple[Path, ...], assignments: tuple[str, ...],
    output: Path | str | None, reason: str,
) -> None:  # fmt: skip
    """Serve an older VERSION again (default: the version that was served before).

    The versions that were served after it are withdrawn: an unchanged run does not push them again.
    Model servers switch within seconds, and the next run compares with VERSION.
    """
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.versions.rollback import roll_back

    workspace = find_workspace(configs, assignments, output)
    _tell(roll_back(workspace, version, reason.strip()))


@click.command()
@click.argument("version", required=False)
@PAST_CONFIG
@ASSIGNMENTS
@OUTPUT
@_REASON
@click.option(
    "--force", is_flag=True,
    help="Serve it although another model is served now than it was compared with.",
)  # fmt: skip
def promote(
    version: str | None, configs: tuple[Path, ...], assignments: tuple[str, ...],
    output: Path | str | None, reason: str, force: bool,
) -> None:  # fmt: skip
    """Serve a candidate that waits, or a withdrawn version (default: the newest candidate).

    Candidates wait where serving.mode is manual. If the pointer served.json is lost, any version
    can be served again.
    """
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.versions.promote import promote as promote_version

    workspace = find_workspace(configs, assignments, output)
    _tell(promote_version(workspace, version, reason.strip(), force=force))


def _tell(change: Change) -> None:
    from pipeline.core.text import printable
    from pipeline.runners.versions.table import describe_change

    for sentence in describe_change(change):
        click.echo(printable(sentence))
