"""`python -m deploy.spark.local up|down|lock`: Spark on this machine, for development and tests."""

from __future__ import annotations

import click

from deploy.commands import run_command
from deploy.spark.local.server import ENDPOINT, LOGS, POOL, SERVER_JARS, down, up


@click.group()
def main() -> None:
    """Beam's job server with Spark in its own process, and a pool of Python workers."""


@main.command("up")
def start_server() -> None:
    """Starts both processes, unless they run already."""
    up()
    print(f"Spark runs. engine: {{kind: spark, endpoint: '{ENDPOINT}', worker_pool: '{POOL}'}}")
    print(f"Logs: {LOGS}. To end it: python -m deploy.spark.local down")


@main.command("down")
def end_server() -> None:
    """Ends both processes."""
    print("Spark has ended." if down() else "No Spark runs here.")


@main.command("lock")
def lock_jars() -> None:
    """Resolves pom.xml again, and locks the checksums of its jars."""
    SERVER_JARS.lock_again()


if __name__ == "__main__":
    run_command(main)
