"""The output directory of a pipeline: everything a run writes lies under it."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipeline.config import Config, ConfigError

_PATTERN_SIGNS = frozenset("*?[]")


@dataclass(frozen=True)
class Workspace:
    """The places under one output directory."""

    root: Path
    serving: Path

    @classmethod
    def of(cls, config: Config, output: Path | None) -> Workspace:
        root = Path(output or Path("runs") / config.name).absolute()
        serving = config.serving.directory
        return cls(root, Path(serving).absolute() if serving else root / "serving")

    @property
    def artifacts(self) -> Path:
        return self.root / "artifacts"

    @property
    def metadata(self) -> Path:
        return self.root / "metadata.db"

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    def new_run(self) -> Path:
        """A new directory for the log, the events and the summary of one run."""
        directory = self.logs / datetime.now().strftime("%Y%m%d-%H%M%S-%f")
        directory.mkdir(parents=True)
        return directory

    def busy(self) -> bool:
        """Whether a run is at work here."""
        try:
            with self.locked():
                return False
        except ConfigError:
            return True

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the directory for one run; the lock dies with its process.

        Raises:
          ConfigError: the directory cannot be used or written, or another run holds it.
        """
        if signs := sorted(set(str(self.root)) & _PATTERN_SIGNS):
            raise ConfigError(
                f"--output {self.root}: holds {' '.join(signs)}, which Beam takes for a pattern",
                "name another directory with --output",
            )
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            file = (self.root / ".lock").open("a+", encoding="utf-8")
        except OSError as error:
            raise ConfigError(
                f"--output {self.root}: cannot be written: {error.strerror}",
                "name another directory with --output",
            ) from None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise ConfigError(
                    f"--output {self.root}: another run is at work here (process {file.read()})",
                    "wait for it, or name another directory with --output",
                ) from None
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield
