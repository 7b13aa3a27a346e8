"""Starts a task's command line, as a process of this machine or in a container."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import Task

_STAGED = ("gcs", "minio", "s3", "tmp")
"""Directories at the task's root that are empty and writable at its start."""


class Starter(Protocol):
    """Starts a task's command line."""

    def task_root(self, staging: Path) -> Path:
        """Returns the path of `staging` as the task sees it."""

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        """Returns the command line that this machine runs."""

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        """Returns the environment of the process that this machine starts."""


class ProcessStarter:
    """Starts tasks as processes in this working directory and environment.

    Volumes are directories of this machine.
    """

    def task_root(self, staging: Path) -> Path:
        return staging

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        for volume in task.volumes:
            _make_volume(volume.path)
        return list(argv)

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        # A task's `python` is the interpreter that runs this module.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        added = {
            "PATH": path,
            "TMPDIR": str(staging / "tmp"),
            "PIPELINE_STAGING_ROOT": str(staging),
        }
        return {**os.environ, **added, **task.environment}


@dataclass(frozen=True)
class ContainerStarter:
    """Starts tasks as containers of one image.

    In a container only the staging directories and the volumes are writable.
    """

    image: str
    engine: Sequence[str]
    """The start of the command line, up to the options of `run`."""
    volumes: Path
    """The directory with one subdirectory for each claim."""

    @classmethod
    def of(cls, image: str, engine: str | None, volumes: Path) -> ContainerStarter:
        """Returns a starter with the given engine, or else with podman or docker.

        Raises:
          ConfigError: no engine is given, and neither podman nor docker is installed.
        """
        if engine:
            return cls(image, shlex.split(engine), volumes)
        program = next(filter(shutil.which, ("podman", "docker")), None)
        if program is None:
            raise ConfigError("--image: neither podman nor docker is installed")
        return cls(image, (program, "run", "--rm"), volumes)

    def task_root(self, staging: Path) -> Path:
        return Path("/")

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        mounts = {f"/{name}": staging / name for name in _STAGED}
        mounts |= {volume.path: self.volumes / volume.claim for volume in task.volumes}
        for directory in mounts.values():
            if not directory.exists():
                directory.mkdir(parents=True)
                directory.chmod(0o1777)
        options = [f"--volume={path.absolute()}:{target}" for target, path in mounts.items()]
        options += [f"--env={name}={value}" for name, value in task.environment.items()]
        # Kubeflow replaces the image's entry point, too.
        options += ["--read-only", f"--entrypoint={argv[0]}"]
        return [*self.engine, *options, self.image, *argv[1:]]

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        return dict(os.environ)


def make_staging(staging: Path) -> None:
    """Recreates the staging directory, writable for all users.

    The user in a container may differ from the user of this process.
    """
    shutil.rmtree(staging, ignore_errors=True)
    for name in _STAGED:
        directory = staging / name
        directory.mkdir(parents=True)
        directory.chmod(0o1777)


def _make_volume(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"volume {path}: cannot be created on this machine: {error.strerror}",
            "compile with a directory you may write to: --set kubeflow.storage.path=DIRECTORY",
        ) from None
