"""How a task's command line is started: as a process of this machine, or in a container."""

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
"""What a task has for itself, as empty directories at its start."""


class Starter(Protocol):
    """Starts a task's command line."""

    def task_root(self, staging: Path) -> Path:
        """What the task has for `staging`."""

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        """The command line of this machine."""

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        """The process's environment."""


class ProcessStarter:
    """Tasks are processes in this directory and this environment, volumes its directories."""

    def task_root(self, staging: Path) -> Path:
        return staging

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        for volume in task.volumes:
            _make_volume(volume.path)
        return list(argv)

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        # The image's `python` is the one that runs this.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        own = {"PATH": path, "TMPDIR": str(staging / "tmp"), "PIPELINE_STAGING_ROOT": str(staging)}
        return {**os.environ, **own, **task.environment}


@dataclass(frozen=True)
class ContainerStarter:
    """Tasks are containers of one image, with nothing writable but their own directories."""

    image: str
    engine: Sequence[str]
    """The command line up to the options of `run`."""
    volumes: Path
    """Where each claim has a directory."""

    @classmethod
    def of(cls, image: str, engine: str | None, volumes: Path) -> ContainerStarter:
        """With the given engine, else the first that is installed.

        Raises:
          ConfigError: there is none.
        """
        if engine:
            return cls(image, shlex.split(engine), volumes)
        found = next(filter(shutil.which, ("podman", "docker")), None)
        if found is None:
            raise ConfigError("--image: neither podman nor docker is installed")
        return cls(image, (found, "run", "--rm"), volumes)

    def task_root(self, staging: Path) -> Path:
        return Path("/")

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        mounts = {f"/{name}": staging / name for name in _STAGED}
        mounts |= {volume.path: self.volumes / volume.claim for volume in task.volumes}
        for directory in mounts.values():
            if not directory.exists():
                directory.mkdir(parents=True)
                directory.chmod(0o1777)
        options = [f"--volume={here.absolute()}:{there}" for there, here in mounts.items()]
        options += [f"--env={name}={value}" for name, value in task.environment.items()]
        # Kubeflow replaces the entry point of the image.
        options += ["--read-only", f"--entrypoint={argv[0]}"]
        return [*self.engine, *options, self.image, *argv[1:]]

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        return dict(os.environ)


def make_staging(staging: Path) -> None:
    """Makes the staging directory anew; who runs in a container need not be who runs this."""
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
            f"volume {path}: cannot be made on this machine: {error.strerror}",
            "compile with a directory of yours: --set kubeflow.storage.path=DIRECTORY",
        ) from None
