"""Executes a compiled pipeline on this machine: a way to try it without a cluster."""

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
from pipeline.runners.kfp_local.starters import ContainerStarter, ProcessStarter, Starter
from pipeline.runners.workspace.lock import check_file


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--directory",
    required=True,
    type=click.Path(path_type=Path),
    help="Where artifacts, logs and the cache are kept from run to run.",
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the run, such as overrides=training.epochs=3.",
)
@click.option("--image", help="Runs the tasks in containers of this image, not as processes.")
@click.option("--engine", help="What starts containers, such as `podman run --rm`, or docker's.")
@click.option(
    "--volumes",
    type=click.Path(path_type=Path),
    help="A directory with one for each claim that containers mount.",
)
@click.option("--root", default="", help="The pipeline root, such as s3://bucket/runs.")
@click.option("--json", "json_path", type=click.Path(path_type=Path), help="Writes the outcome.")
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

    The exit code is that of the task that failed.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        if json_path:
            check_file(json_path, "--json")
        starter: Starter = ProcessStarter()
        if image:
            starter = ContainerStarter.of(image, engine, volumes or directory / "volumes")
        runner = Runner(directory, starter, root)
        outcomes = []
        for outcome in runner.run(read_pipeline(file), _parse_parameters(parameters)):
            outcomes.append(outcome)
            _show_outcome(outcome)
        if json_path:
            told = {outcome.name: dataclasses.asdict(outcome) for outcome in outcomes}
            json_path.write_text(json.dumps(told, indent=1), encoding="utf-8")
    except PipelineError as error:
        _fail(error)
    except OSError as error:
        _fail(PipelineError(f"{error.filename or directory}: {error.strerror}"))
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(_report_failure(outcomes))


def _parse_parameters(parameters: Sequence[str]) -> dict[str, str]:
    """Several values of one parameter are its lines, as where it is deployed."""
    given: dict[str, str] = {}
    for parameter in parameters:
        name, separator, value = parameter.partition("=")
        if not separator:
            raise ConfigError(f"--parameter {parameter}: not of the form NAME=VALUE")
        given[name] = f"{given[name]}\n{value}" if name in given else value
    return given


def _fail(error: PipelineError) -> NoReturn:
    click.echo(f"Error: {printable(error.message)}", err=True)
    if error.hint:
        click.echo(f"  {printable(error.hint)}", err=True)
    sys.exit(error.exit_code)


def _show_outcome(outcome: Outcome) -> None:
    again = f"   in attempt {outcome.attempts}" if outcome.attempts > 1 else ""
    if outcome.state == "not started":
        click.echo(f"{outcome.name:<20}{outcome.state}")
    else:
        click.echo(f"{outcome.name:<20}{outcome.state:<8}{outcome.seconds:>7.1f} s{again}")


def _report_failure(outcomes: Sequence[Outcome]) -> int:
    """Says what failed, and returns the exit code."""
    failed = next((outcome for outcome in outcomes if outcome.state == "failed"), None)
    if failed is None:
        return 0
    click.echo(f"\nTask {failed.name}: {printable_lines(failed.message)}", err=True)
    click.echo(f"Log: {failed.log}", err=True)
    return failed.exit_code


if __name__ == "__main__":
    main()
