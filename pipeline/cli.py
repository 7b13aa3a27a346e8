"""The command line: each command calls one function.

A command imports its function when it runs, so that `--help` answers at once.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pipeline.core.contracts import Node

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_WIDTH = 200
"""Characters of a line in a pipe, which has no width of its own: enough for every table."""

CONFIG = click.option(
    "--config",
    "configs",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Configuration file. May be repeated: later files override earlier files.",
)
ASSIGNMENTS = click.option(
    "--set",
    "assignments",
    multiple=True,
    metavar="KEY=VALUE",
    help="Override a key of the configuration, such as training.epochs=3. May be repeated.",
)
OUTPUT = click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory for everything the run writes (default: runs/NAME).",
)
JSON = click.option(
    "--json",
    "json_path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File to write a summary of the run to, as JSON.",
)


class _Commands(click.Group):
    """Turns failures that the user can fix into a message and an exit code."""

    def invoke(self, context: click.Context) -> Any:
        from pipeline.core.errors import PipelineError

        try:
            return super().invoke(context)
        except PipelineError as error:
            _fail(error)
        except OSError as error:
            from pipeline.core.error_causes import disk_full_error, is_disk_full

            if is_disk_full(error):
                _fail(disk_full_error(error.filename or Path.cwd()))
            _fail(PipelineError(f"{error.filename or 'the disk'}: {error.strerror}"))
        except KeyboardInterrupt:
            sys.exit(130)


def _fail(error: Any) -> NoReturn:
    from rich.console import Console
    from rich.text import Text

    from pipeline.core.text import printable

    console = Console(stderr=True)
    for part in error.parts:
        message = Text.assemble(("Error: ", "bold red"), printable(part.message))
        console.print(message, soft_wrap=True)
        if part.hint:
            console.print(Text(f"  {printable(part.hint)}"), soft_wrap=True)
    sys.exit(error.exit_code)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """From a table to a validated, trained, evaluated and pushed model."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of files need not be UTF-8, and the terminal may have another encoding.
            stream.reconfigure(errors="backslashreplace")


@main.command()
@click.option(
    "--data",
    required=True,
    multiple=True,
    metavar="FILE",
    help="Table: a file or a glob pattern. May be repeated.",
)
@click.option("--label", required=True, metavar="COLUMN", help="Column to predict.")
@click.option(
    "--output", required=True, type=click.Path(path_type=Path), metavar="FILE",
    help="Configuration file to write.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
def init(data: tuple[str, ...], label: str, output: Path, force: bool) -> None:
    """Read a table and propose a complete configuration."""
    from pipeline.core.commands import pipeline_command
    from pipeline.core.text import printable
    from pipeline.onboarding import propose_config

    proposal = propose_config(list(data), label, output, force=force)
    for line in proposal.summary:
        click.echo(printable(line))
    click.echo(f"\nWrote {output}. Read the comments in it, then:")
    click.echo(printable(f"  {pipeline_command('run', '--config', output)}"))


@main.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@JSON
def run(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None,
    json_path: Path | None,
) -> None:  # fmt: skip
    """Run the whole DAG on this machine.

    Exit codes: 0 pushed or already served; 1 unexpected failure; 2 wrong usage or configuration;
    3 stopped by the data gate; 4 model not blessed; 130 interrupted.
    """
    _run(configs, assignments, output, json_path)


@main.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@JSON
def tune(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None,
    json_path: Path | None,
) -> None:  # fmt: skip
    """Search for the best values of the keys in the section `tuning`, and stop there.

    A later `run` trains with the result and does not search again.
    """
    _run(configs, assignments, output, json_path, until=Node.TUNER)


@main.command()
@CONFIG
@ASSIGNMENTS
@OUTPUT
@click.option(
    "--write",
    is_flag=True,
    help="Write the schema to schema.path, or else next to the configuration.",
)
def schema(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None, write: bool
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


@main.command("compile")
@CONFIG
@ASSIGNMENTS
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="FILE.yaml")
def compile_(configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path) -> None:
    """Compile the pipeline to a file that open-source Kubeflow Pipelines runs."""
    from pipeline.config import load_config
    from pipeline.runners.kubeflow.client.package import compile_to

    compile_to(output, load_config(configs, assignments))
    click.echo(f"Wrote {output}.")


@main.command()
@click.option("--config", "configs", multiple=True, type=click.Path(path_type=Path), metavar="FILE")
@ASSIGNMENTS
@click.option(
    "--package",
    type=click.Path(path_type=Path),
    metavar="FILE.yaml",
    help="Compiled pipeline, instead of --config.",
)
@click.option(
    "--host", "--endpoint", metavar="URL", envvar="KF_PIPELINES_ENDPOINT",
    help="Address of Kubeflow Pipelines (default: KF_PIPELINES_ENDPOINT).",
)  # fmt: skip
@click.option("--namespace", help="Namespace of the profile, in multi-user Kubeflow.")
@click.option(
    "--experiment", default="Default", help="Experiment of the run; created if it does not exist."
)
@click.option("--run-name", help="Name of the run or of the schedule.")
@click.option(
    "--schedule",
    metavar="CRON",
    help="Schedule of repeated runs, such as '0 3 * * *' for every night.",
)
@click.option(
    "--parameter", "parameters", multiple=True, metavar="NAME=VALUE",
    help="Parameter of the run: data-path, data-fingerprint or overrides. May be repeated.",
)  # fmt: skip
@click.option(
    "--service-account", metavar="NAME", help="Kubernetes service account of the run's pods."
)
@click.option("--image", metavar="NAME@sha256:...", help="Image to run, instead of kubeflow.image.")
@click.option("--allow-tag", is_flag=True, help="Deploy a mutable tag instead of a digest.")
@click.option(
    "--token-file", type=click.Path(path_type=Path), metavar="FILE",
    help="File with a bearer token for the server.",
)  # fmt: skip
@click.option(
    "--ca-file", type=click.Path(path_type=Path), metavar="FILE",
    help="CA certificate (PEM) of the server.",
)  # fmt: skip
def deploy(configs: tuple[Path, ...], assignments: tuple[str, ...], **options: Any) -> None:
    """Compile the pipeline, upload it to Kubeflow Pipelines, and start or schedule a run."""
    from pipeline.runners.kubeflow.client.deploy import DeployOptions, deploy_pipeline

    for line in deploy_pipeline(DeployOptions(configs=configs, assignments=assignments, **options)):
        click.echo(line)


@main.command()
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
    print_runs(list_runs(Workspace(output, output / "serving")), _report_console())


def _report_console() -> Console:
    """Returns a console on standard output; in a pipe it is wide enough for every table."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPE_WIDTH
    return console


def _run(
    configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path | None,
    json_path: Path | None, until: str | None = None,
) -> NoReturn:  # fmt: skip
    """Runs the DAG, or its part up to the component `until`, and prints the report."""
    from pipeline.config import load_config
    from pipeline.core.errors import ConfigError, PipelineError
    from pipeline.runners.local.run import run_local
    from pipeline.runners.workspace.lock import check_file
    from pipeline.runners.workspace.places import Workspace
    from pipeline.terminal.display import Display
    from pipeline.terminal.report import print_report
    from pipeline.terminal.summary import Summary

    if json_path:
        check_file(json_path, "--json")
    console = _report_console()
    try:
        config = load_config(configs, assignments)
        if until == Node.TUNER and config.tuning is None:
            raise ConfigError("tuning: the section is missing", "docs/tuning.md has an example")
        summary = run_local(config, Workspace.of(config, output), Display(console), until)
    except PipelineError as error:
        if json_path:
            Summary.of_refused_run(error).write(json_path)
        raise
    if json_path:
        summary.write(json_path)
    print_report(summary, config, console)
    sys.exit(summary.exit_code)
