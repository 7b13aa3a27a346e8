"""The commands that lead to Kubeflow Pipelines: `compile`, `deploy`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pipeline.cli.options import ASSIGNMENTS, CONFIG, LOCAL_PATH


@click.command("compile")
@CONFIG
@ASSIGNMENTS
@click.option("--output", required=True, type=LOCAL_PATH, metavar="FILE.yaml")
def compile_(configs: tuple[Path, ...], assignments: tuple[str, ...], output: Path) -> None:
    """Compile the pipeline to a file for Kubeflow Pipelines, or for Vertex AI Pipelines."""
    from pipeline.config import load_config
    from pipeline.runners.kubeflow.client.package import compile_to

    compile_to(output, load_config(configs, assignments))
    click.echo(f"Wrote {output}.")


@click.command()
@click.option("--config", "configs", multiple=True, type=LOCAL_PATH, metavar="FILE")
@ASSIGNMENTS
@click.option(
    "--package",
    type=LOCAL_PATH,
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
    "--token-file", type=LOCAL_PATH, metavar="FILE",
    help="File with a bearer token for the server.",
)  # fmt: skip
@click.option(
    "--allow-http-token", is_flag=True, help="Send the token to an http:// address, unencrypted."
)
@click.option(
    "--ca-file", type=LOCAL_PATH, metavar="FILE",
    help="CA certificate (PEM) of the server.",
)  # fmt: skip
def deploy(configs: tuple[Path, ...], assignments: tuple[str, ...], **options: Any) -> None:
    """Compile the pipeline, upload it to Kubeflow Pipelines, and start or schedule a run."""
    from pipeline.runners.kubeflow.client.deploy import DeployOptions, deploy_pipeline

    for line in deploy_pipeline(DeployOptions(configs=configs, assignments=assignments, **options)):
        click.echo(line)
