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


def write_atomically(path: Path, text: str) -> None:
    """Readers see the old file or the new one, never a part."""
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_text(text, encoding="utf-8")
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)


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
    def metadata(self) -> Path:
        return self.root / "metadata.db"

    def artifacts(self) -> Path:
        """Where this metadata's artifacts go; for the holder of the lock.

        Artifacts lie under numbers that metadata hands out. If it was deleted, the numbers start
        anew: in a directory of their own, so that what the served model refers to is never
        overwritten.
        """
        note = self.root / ".artifacts"
        if not (self.metadata.exists() and note.exists()):
            write_atomically(note, datetime.now().strftime("%Y%m%d-%H%M%S-%f"))
        return self.root / "artifacts" / note.read_text(encoding="utf-8")

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
            with (self.root / ".lock").open(encoding="utf-8") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return False
        except BlockingIOError:
            return True

    @contextlib.contextmanager
    def locked(self) -> Iterator[int]:
        """Holds the directory for one run; gives the lock's file descriptor.

        The lock ends with the last process that has the descriptor.

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
            yield file.fileno()
