"""The output directory of a pipeline: everything a run writes lies under it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from components.served_model.served_record import REFERENCE_DIRECTORY
from pipeline.config import Config
from pipeline.core.errors import ConfigError
from pipeline.core.files import STAGED_SUFFIX, write_text_atomically
from pipeline.runners.workspace.database import last_execution
from pipeline.runners.workspace.lock import check_writable, is_locked, locked, make_writable

_PATTERN_SIGNS = frozenset("*?[]")


def check_serving(directory: Path) -> None:
    """Makes the directory where there is none, and finds out whether a push can write there.

    Raises:
      ConfigError: it cannot.
    """
    make_writable(directory, "serving.directory")
    if (references := directory / REFERENCE_DIRECTORY).exists():
        check_writable(references, "serving.directory")


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

        Artifacts lie under numbers that metadata hands out. If it was deleted, or is an older copy,
        numbers are handed out again: in a directory of their own, so that what the served model
        refers to is never overwritten, or mixed with something new.

        Raises:
          ConfigError: metadata is damaged.
        """
        last = last_execution(self.metadata)
        note = self.root / ".artifacts"
        if not note.exists() or _last_number(self._noted(note)) > last:
            name = datetime.now().strftime("%Y%m%d-%H%M%S-%f")
            # Durable: with an older note, numbers of the newer metadata would be given out again.
            write_text_atomically(note, name, durable=True)
        return self._noted(note)

    def _noted(self, note: Path) -> Path:
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
        return is_locked(self.root)

    @contextlib.contextmanager
    def locked(self) -> Iterator[tuple[int, ...]]:
        """Holds output and serving directory for one run; gives the locks' file descriptors.

        Raises:
          ConfigError: a directory cannot be used or written, or another run holds it.
        """
        if signs := sorted(set(str(self.root)) & _PATTERN_SIGNS):
            raise ConfigError(
                f"--output {self.root}: holds {' '.join(signs)}, which Beam takes for a pattern",
                "name another directory with --output",
            )
        with contextlib.ExitStack() as stack:
            locks = [stack.enter_context(locked(self.root, "--output"))]
            # Another output may push to the same place.
            if self.serving.resolve() != self.root.resolve():
                locks.append(stack.enter_context(locked(self.serving, "serving.directory")))
            self._look_after()
            yield tuple(locks)

    def _look_after(self) -> None:
        """What is written later can be written, and what a killed run was writing is gone."""
        for directory in (self.logs, self.backups, self.root / "artifacts"):
            if directory.exists():
                check_writable(directory, "--output")
        check_serving(self.serving)
        for pattern in (f".*{STAGED_SUFFIX}", f"logs/*/.*{STAGED_SUFFIX}"):
            for leftover in self.root.glob(pattern):
                leftover.unlink()


def _last_number(artifacts: Path) -> int:
    """TFX lays files out as NODE/OUTPUT/NUMBER."""
    names = (path.name for path in artifacts.glob("*/*/*"))
    return max((int(name) for name in names if name.isdigit()), default=0)
