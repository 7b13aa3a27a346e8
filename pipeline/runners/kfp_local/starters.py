"""Starts a task's command line, as a process of this machine or in a container."""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pipeline.core.errors import ConfigError
from pipeline.runners.kfp_local.spec import Task

STAGED = ("gcs", "minio", "s3", "tmp")
"""Directories at the task's root that the task may write to."""
_OPEN = (
    *("-type", "d", "-exec", "chmod", "a+rwx,-t", "{}", ";"),
    *("-o", "-type", "f", "-exec", "chmod", "a+r", "{}", "+"),
)
"""The expression for `find` that opens all directories and files. Directories are opened one by
one, each before `find` enters it. Files stay closed to writers: the store may link them."""
_RELEASE_SECONDS = 60
"""`find` opens about 1,000 directories a second. An engine that does not answer may hang."""


class Starter(Protocol):
    """Starts a task's command line."""

    def task_root(self, staging: Path) -> Path:
        """Returns the path of `staging` as the task sees it."""

    def share(self, staging: Path) -> None:
        """Lets the task's user read the staged inputs, and write beside them."""

    def release(self, staging: Path) -> None:
        """Lets this process read and remove what the task's user wrote, as far as possible."""

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        """Returns the command line that this machine runs."""

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        """Returns the environment of the process that this machine starts."""


class ProcessStarter:
    """Starts tasks as processes in this working directory and environment.

    Volumes are directories of this machine. A task has the user of this process, and needs no
    rights for other users.
    """

    def task_root(self, staging: Path) -> Path:
        return staging

    def share(self, staging: Path) -> None:
        pass

    def release(self, staging: Path) -> None:
        pass

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

    In a container only the staging directories and the volumes are writable. The container's user
    is often not the user of this process. So these directories are open to all users, but their
    parents are closed: other users of this machine do not reach them. A directory of volumes that
    was there before stays as it is, and a warning says so.
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

    def share(self, staging: Path) -> None:
        for path in staging.rglob("*"):
            # The mode of a new file depends on this process's umask.
            path.chmod(0o1777 if path.is_dir() else 0o644)

    def release(self, staging: Path) -> None:
        # Only the user who wrote the files may change their mode: the user of the image.
        mounts = {f"/staging/{path.name}": path for path in staging.glob("*/")}
        command = self._command_line(["find", *mounts, *_OPEN], mounts, {})
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(command, capture_output=True, timeout=_RELEASE_SECONDS)

    def command(self, task: Task, argv: Sequence[str], staging: Path) -> list[str]:
        mounts = {f"/{name}": staging / name for name in STAGED}
        mounts |= {volume.path: self._make_claim(volume.claim) for volume in task.volumes}
        return self._command_line(argv, mounts, task.environment)

    def environment(self, task: Task, staging: Path) -> dict[str, str]:
        return dict(os.environ)

    def _command_line(
        self, argv: Sequence[str], mounts: Mapping[str, Path], variables: Mapping[str, str]
    ) -> list[str]:
        options = [f"--volume={path.absolute()}:{target}" for target, path in mounts.items()]
        options += [f"--env={name}={value}" for name, value in variables.items()]
        # Kubeflow replaces the image's entry point, too.
        options += ["--read-only", f"--entrypoint={argv[0]}"]
        return [*self.engine, *options, self.image, *argv[1:]]

    def _make_claim(self, name: str) -> Path:
        """Returns the directory of the claim; a new directory is writable for all users."""
        directory = self.volumes / name
        if not directory.exists():
            self.volumes.mkdir(mode=0o700, parents=True, exist_ok=True)
            directory.mkdir()
            directory.chmod(0o1777)
            if _is_reachable_by_others(self.volumes):
                logging.warning(
                    "%s: all users of this machine can write to it, and so to what is served from "
                    "it: the container's user may be any of them. `chmod 700 %s` keeps them out.",
                    directory,
                    self.volumes,
                )
        return directory


def _is_reachable_by_others(directory: Path) -> bool:
    """Whether other users of this machine may enter the directory, and all that lead to it."""
    path = directory.resolve()
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in (path, *path.parents))


def _make_volume(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"volume {path}: cannot be created on this machine: {error.strerror}",
            "compile with a directory you may write to: --set kubeflow.storage.path=DIRECTORY",
        ) from None
