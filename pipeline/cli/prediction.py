"""The command about batch predictions: `predict`."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipeline.cli.options import (
    ASSIGNMENTS,
    LOCAL_PATH,
    STANDARD_OUTPUT,
    PathOrAddress,
    report_console,
)

if TYPE_CHECKING:
    from pipeline.config import Config
    from serving.batch.outcome import Outcome
    from serving.batch.task import Task


@click.command()
@click.option(
    "--config", "configs", multiple=True, type=LOCAL_PATH, metavar="FILE",
    help="Configuration of the model. May be repeated: later files override earlier files.",
)  # fmt: skip
@ASSIGNMENTS
@click.option(
    "--workspace", type=PathOrAddress(path_type=Path), metavar="DIR|ADDRESS",
    help="Output directory of the runs (default: runs/NAME); needs no --config.",
)  # fmt: skip
@click.option(
    "--model", metavar="VERSION|PATH",
    help="Version in the serving directory, or path of a SavedModel (default: the served version).",
)  # fmt: skip
@click.option(
    "--input", "inputs", multiple=True, metavar="GLOB",
    help="CSV or Parquet file, or glob pattern, or address of objects (default: prediction.input). "
    "May be repeated.",
)  # fmt: skip
@click.option(
    "--output", type=PathOrAddress(path_type=Path), metavar="DIR|ADDRESS",
    help="Directory for the predictions, on a file system or an object store (default: "
    "prediction.output).",
)  # fmt: skip
@click.option("--key", metavar="COLUMN", help="Column that identifies a row.")
@click.option(
    "--columns", multiple=True, metavar="A,B",
    help="Columns to copy beside the key; '*' copies all (default: none with --key, else all).",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["parquet", "csv"]),
    help="Format of the predictions (default: parquet).",
)  # fmt: skip
@click.option("--prefix", metavar="TEXT", help="Beginning of the names of the model's outputs.")
@click.option(
    "--max-bad-rows", metavar="N|SHARE",
    help="Most bad rows, such as 100 or 0.5% (default: 1% with --key, else 0).",
)  # fmt: skip
@click.option(
    "--overwrite", is_flag=True, help="Remove predictions for other input files from --output.",
)  # fmt: skip
@click.option(
    "--json", "json_path", type=LOCAL_PATH, metavar="FILE",
    help="File to write a summary to, as JSON. With - it goes to standard output.",
)  # fmt: skip
def predict(
    configs: tuple[Path, ...], assignments: tuple[str, ...], workspace: Path | str | None,
    model: str | None, json_path: Path | None, **options: Any,
) -> None:  # fmt: skip
    """Score the rows of CSV or Parquet files with the pushed model.

    The files are read as the training table was. A repeated command continues a killed one.

    Exit codes: 0 all files are scored; 1 unexpected failure; 2 wrong usage or configuration; 3 a
    file cannot be read, or too many rows are bad; 130 interrupted.
    """
    from pipeline.core.errors import PipelineError
    from pipeline.runners.workspace.lock import check_file
    from pipeline.terminal.prediction_progress import PredictionProgress
    from serving.batch.command import predict as run_prediction

    if json_path and json_path != STANDARD_OUTPUT:
        check_file(json_path, "--json")
    console = report_console(stderr=json_path == STANDARD_OUTPUT)
    try:
        task = _make_task(configs, assignments, workspace, model, options)
        with PredictionProgress(console) as progress:
            outcome = run_prediction(task, progress.show)
    except PipelineError as error:
        failure = {"message": error.message, "hint": error.hint}
        _write_summary({"exit_code": error.exit_code, "error": failure}, json_path)
        raise
    _write_summary({"exit_code": 0, "error": None, **asdict(outcome)}, json_path)
    _print(outcome, console)


def _make_task(
    configs: tuple[Path, ...], assignments: tuple[str, ...], workspace: Path | str | None,
    model: str | None, options: dict[str, Any],
) -> Task:  # fmt: skip
    from components.engine.readiness import check_engine
    from serving.batch.make_task import make_task
    from serving.batch.model_choice import choose_model

    config, serving = _find_config(configs, assignments, workspace)
    chosen = choose_model(serving, model)
    if config is None and workspace is not None:
        config = _find_pushed_config(workspace, chosen.version)
    columns = options.pop("columns")
    options["columns"] = [name for line in columns for name in next(csv.reader([line]))] or None
    if config is not None:
        check_engine(config.engine)
    return make_task(config, chosen, options)


def _find_config(
    configs: tuple[Path, ...], assignments: tuple[str, ...], workspace: Path | str | None
) -> tuple[Config | None, Path | None]:
    """Returns the configuration, if one is given, and the serving directory, if one is known."""
    from pipeline.config import load_config
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.workspace.places import Workspace

    if configs:
        config = load_config(configs, assignments)
        return config, Workspace.of(config, workspace).make_serving_copy()
    if assignments:
        raise click.UsageError("--set needs --config")
    return None, None if workspace is None else find_workspace(
        (), (), workspace
    ).make_serving_copy()


def _find_pushed_config(root: Path | str, version: str) -> Config:
    from pipeline.runners.history.choice import find_workspace
    from pipeline.runners.history.configuration import find_configuration

    return find_configuration(find_workspace((), (), root), version)


def _write_summary(summary: Mapping[str, object], path: Path | None) -> None:
    from pipeline.core.files import write_text_atomically
    from pipeline.core.text import readable_json

    text = readable_json(summary)
    if path == STANDARD_OUTPUT:
        click.echo(text)
    elif path is not None:
        write_text_atomically(path, text + "\n", durable=False)


def _print(outcome: Outcome, console: Any) -> None:
    from pipeline.core.text import counted, printable

    if outcome.reused_files:
        console.print(
            f"{counted(outcome.reused_files, 'file')} of {outcome.files} had predictions."
        )
    rate = f", {outcome.rows_per_second:,.0f} rows/s" if outcome.rows_per_second else ""
    console.print(
        f"Predicted {counted(outcome.rows, 'row')} of {counted(outcome.files, 'file')} "
        f"with version {outcome.version}{rate}."
    )
    if outcome.bad_rows:
        console.print(f"{counted(outcome.bad_rows, 'bad row')}: see bad_rows.csv there.")
    console.print(f"Wrote {printable(outcome.output)}", soft_wrap=True)
