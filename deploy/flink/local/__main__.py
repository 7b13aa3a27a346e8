"""`python -m deploy.flink.local up|down|is-up|lock`: a Flink cluster on this machine."""

from __future__ import annotations

import sys

import click

from deploy.commands import run_command
from deploy.flink.local.cluster import CLUSTER_JARS, ENDPOINT, PAGE, down, is_running, up
from deploy.flink.local.networks import PODS
from deploy.flink.local.places import LOGS


@click.group()
def main() -> None:
    """A Flink cluster on this machine: a JobManager, two TaskManagers, and Beam's job server."""


@main.command("up")
@click.option(
    "--pods",
    type=click.IntRange(1, len(PODS)),
    default=len(PODS),
    show_default=True,
    help="TaskManagers to start.",
)
def start_cluster(pods: int) -> None:
    """Starts the cluster, unless it runs already with so many TaskManagers."""
    up(pods)
    print(f"The Flink cluster runs. Its page: {PAGE}")
    print(f"Beam's job server: {ENDPOINT}. Logs: {LOGS}. To end it: make flink-down")


@main.command("down")
def end_cluster() -> None:
    """Ends all processes of the cluster."""
    print("The Flink cluster has ended." if down() else "No Flink cluster runs here.")


@main.command("is-up")
def tell_whether_up() -> None:
    """Exits with 0 if the cluster of this clone runs, else with 1."""
    sys.exit(0 if is_running() else 1)


@main.command("lock")
def lock_jars() -> None:
    """Resolves pom.xml again, and locks the checksums of its jars."""
    CLUSTER_JARS.lock_again()


if __name__ == "__main__":
    run_command(main)
