"""Executes a compiled pipeline on this machine, to try the file without a cluster."""

from __future__ import annotations

import dataclasses
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import click

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.text import printable, printable_lines
from pipeline.runners.kfp_local.runner import Outcome, Runner
from pipeline.runners.kfp_local.spec import read_pipeline
from pipeline.runners.kfp_local.staging import make_private
from pipeline.runners.kfp_local.starters import ContainerStarter, ProcessStarter, Starter
from pipeline.runners.workspace.lock import check_file, make_writable


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--directory",
    required=True,
    type=click.Path(path_type=Path),
    help="Directory for artifacts, logs and the cache, kept from run to run.",
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="Run parameter, such as overrides=training.epochs=3. Repeat it for more overrides.",
)
@click.option("--image", help="Run the tasks in containers of this image (default: as processes).")
@click.option(
    "--engine", help="Command that starts a container (default: podman or docker run --rm)."
)
@click.option(
    "--volumes",
    type=click.Path(path_type=Path),
    help="Directory with a subdirectory for each claim (default: DIRECTORY/volumes).",
)
@click.option(
    "--root", default="", help="Pipeline root, such as s3://bucket/runs (default: the file's)."
)
@click.option(
    "--json",
    "json_path",
    type=click.Path(path_type=Path),
    help="Write the outcome of each task to this file.",
)
def main(
    file: Path,
    directory: Path,
    parameters: Sequence[str],
    image: str | None,
    engine: str | None,
    volumes: Path | None,
    root: str,
    json_path: Path | None,
) -> None:
    """Executes the compiled pipeline FILE as Kubeflow Pipelines would.

    The exit code is the failed task's, or 0.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if json_path:
            check_file(json_path, "--json")
        starter: Starter = ProcessStarter()
        if image:
            make_writable(directory, "--directory")
            volumes = volumes or make_private(directory / "volumes")
            starter = ContainerStarter.of(image, engine, volumes)
        runner = Runner(directory, starter, root)
        outcomes = []
        for outcome in runner.run(read_pipeline(file), _parse_parameters(parameters)):
            outcomes.append(outcome)
            _show_outcome(outcome)
        if json_path:
            summary = {outcome.name: dataclasses.asdict(outcome) for outcome in outcomes}
            json_path.write_text(json.dumps(summary, indent=1), encoding="utf-8")
    except PipelineError as error:
        _fail(error)
    except OSError as error:
        _fail(PipelineError(f"{error.filename or directory}: {error.strerror}"))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(_report_failure(outcomes))


def _parse_parameters(parameters: Sequence[str]) -> dict[str, str]:
    """Returns the parameters by name; several values of one become lines, as in `deploy`."""
    values: dict[str, str] = {}
    for parameter in parameters:
        name, separator, value = parameter.partition("=")
        if not separator:
            raise ConfigError(f"--parameter {parameter}: not of the form NAME=VALUE")
        values[name] = f"{values[name]}\n{value}" if name in values else value
    return values


def _fail(error: PipelineError) -> NoReturn:
    click.echo(f"Error: {printable(error.message)}", err=True)
    if error.hint:
        click.echo(f"  {printable(error.hint)}", err=True)
    sys.exit(error.exit_code)


def _show_outcome(outcome: Outcome) -> None:
    attempts = f"   in attempt {outcome.attempts}" if outcome.attempts > 1 else ""
    if outcome.state == "not started":
        click.echo(f"{outcome.name:<20}{outcome.state}")
    else:
        click.echo(f"{outcome.name:<20}{outcome.state:<8}{outcome.seconds:>7.1f} s{attempts}")


def _report_failure(outcomes: Sequence[Outcome]) -> int:
    """Prints which tasks failed, and returns the exit code of the run.

    A failed exit task does not fail the run: Argo shows the failure of a hook, and ignores it.
    """
    failures = [outcome for outcome in outcomes if outcome.state == "failed"]
    for failed in failures:
        click.echo(f"\nTask {failed.name}: {printable_lines(failed.message)}", err=True)
        click.echo(f"Log: {failed.log}", err=True)
    return next((failed.exit_code for failed in failures if not failed.is_exit), 0)


if __name__ == "__main__":
    main()
