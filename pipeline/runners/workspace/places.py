"""The places in the output directory of a pipeline, below which a run writes all its files."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from components.served_model.store.local_copy import LocalCopy
from pipeline.config import Config
from pipeline.core.contracts import RunFile
from pipeline.core.errors import ConfigError
from pipeline.core.files import STAGED_SUFFIX, write_text_atomically
from pipeline.core.stores.address import is_store_address, parse_address
from pipeline.runners.workspace.database import read_last_execution_id
from pipeline.runners.workspace.deletion import REMOVED_PREFIX
from pipeline.runners.workspace.lock import check_writable, is_locked, lock_directory
from pipeline.runners.workspace.on_store.fetching import fetch
from pipeline.runners.workspace.on_store.manifest import OWNER
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy
from pipeline.runners.workspace.serving_directory import (
    check_serving,
    open_serving_copy,
    refuse_foreign,
)

_RUN_NAME = "%Y%m%d-%H%M%S-%f"
"""The local time, so that names sort by age and a person recognizes a run."""
SERVING_COPY = "serving-copy"
"""The directory of the copy of a serving directory that lies on an object store."""
_PATTERN_SIGNS = frozenset("*?[]")


@dataclass(frozen=True)
class Workspace:
    """The places of one pipeline."""

    root: Path
    """The output directory."""
    serving: Path
    """The serving directory, which may lie elsewhere. If `store` is set, it is a copy."""
    store: str = ""
    """The address of the serving directory on an object store; empty without one."""
    address: str = ""
    """The address of the output directory on an object store; `root` is then its working copy."""

    @classmethod
    def of(cls, config: Config, output: Path | str | None) -> Workspace:
        """Returns the workspace of a configuration.

        Args:
          output: a directory, or an address of an object store; runs/NAME if None.
        """
        root, address = locate_output(output or Path("runs") / config.name)
        serving = config.serving.directory or (f"{address}/serving" if address else "")
        if is_store_address(serving):
            return cls(root, root / SERVING_COPY, serving, address)
        return cls(root, Path(serving).absolute() if serving else root / "serving", "", address)

    def refresh(self) -> str:
        """Makes the working copy of an output on a store as the store is, for a reader.

        Returns:
          The address of the serving directory of the last run; empty if it has none.

        Raises:
          ConfigError: no run has written to the address, or the store refuses access.
          PipelineError: the store does not answer, or an object is damaged.
        """
        if not self.address:
            return ""
        # Imported here: most commands need no client of object stores.
        from pipeline.runners.workspace.on_store.session import refresh

        return refresh(WorkingCopy(self.root, self.address))

    def fetch(self, directories: Collection[str | Path]) -> None:
        """Downloads what is missing of artifacts if the output lies on a store.

        Raises:
          PipelineError: the store does not answer, or an object is damaged.
        """
        fetch(self.root, directories)

    def make_serving_copy(self) -> Path:
        """Returns the serving directory; on a store, that of its copy, which may be empty yet."""
        if self.store:
            LocalCopy.make(str(self.serving), self.store)
        return self.serving

    def refresh_serving(self) -> None:
        """Makes the copy of a serving directory on a store as the store is, if there is a store.

        Raises:
          PipelineError: the store refuses access or does not answer, or an object is damaged.
        """
        open_serving_copy(self.make_serving_copy())

    @property
    def metadata(self) -> Path:
        return self.root / "metadata.db"

    @property
    def artifacts(self) -> Path:
        """Holds a directory of artifacts for each file of metadata that was in use."""
        return self.root / "artifacts"

    def artifacts_directory(self) -> Path:
        """Returns the directory of the artifacts; the caller must hold the lock.

        The names of artifact directories are ids from the metadata file. If the file was deleted,
        or replaced by an older copy, it gives the same ids again. A new directory then keeps the
        new artifacts apart from the old ones, to which the served model still refers.

        Raises:
          ConfigError: the metadata file is damaged.
        """
        last = read_last_execution_id(self.metadata)
        note = self.root / ".artifacts"
        if not note.exists() or _last_id(self._read_directory(note)) > last:
            name = datetime.now().strftime(_RUN_NAME)
            # Durable: with an older note, ids of the newer metadata would be given again.
            write_text_atomically(note, name, durable=True)
        return self._read_directory(note)

    def _read_directory(self, note: Path) -> Path:
        return self.artifacts / note.read_text(encoding="utf-8")

    def find_artifact(self, uri: str) -> Path | None:
        """Returns the directory below this workspace that an artifact's URI names.

        The directory may not exist. None for a URI of another form. A copied or moved workspace
        has its own directory for each URI, although its metadata names the original's.
        """
        parts = Path(uri).parts[-5:]
        # TFX names an artifact's directory NODE/OUTPUT/ID below the artifacts directory.
        is_known = len(parts) == 5 and parts[0] == self.artifacts.name
        return self.root.joinpath(*parts) if is_known else None

    @property
    def backups(self) -> Path:
        return self.root / "backups"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def report(self) -> Path:
        """The page of the newest run."""
        return self.root / RunFile.REPORT

    def comparison(self, before: str, after: str) -> Path:
        """Returns the page that compares two runs; its content lies beside it as JSON."""
        return self.root / f"compare-{before}-{after}.html"

    def comparisons(self, run: str) -> list[Path]:
        """Returns the pages that compare a run with another one, and their contents."""
        patterns = (f"compare-{run}-*", f"compare-*-{run}.*")
        return sorted({path for pattern in patterns for path in self.root.glob(pattern)})

    def has_runs(self) -> bool:
        """Whether a run was ever here."""
        return self.metadata.exists() or bool(self.run_directories())

    def make_run_directory(self) -> Path:
        """Makes the directory for the log, the events and the summary of one run."""
        directory = self.logs / datetime.now().strftime(_RUN_NAME)
        directory.mkdir(parents=True)
        return directory

    def run_directories(self) -> list[Path]:
        """Returns the directories that `make_run_directory` made, the oldest one first."""
        return sorted(path for path in self.logs.glob("[!.]*") if path.is_dir())

    def is_locked(self) -> bool:
        """Whether a run uses the output directory, for an output on a store on any machine."""
        if is_locked(self.root):
            return True
        if not self.address:
            return False
        from pipeline.core.stores.lease import is_held

        return is_held(self.address, OWNER)

    @property
    def name(self) -> str:
        """The output as a user names it."""
        return self.address or str(self.root)

    @property
    def short_name(self) -> str:
        """The last part of the name, such as taxi for runs/taxi."""
        return self.name.rpartition("/")[2]

    def refuse_predictions(self, output: str) -> None:
        """Raises ConfigError if predictions would be written among the files of runs.

        Args:
          output: `prediction.output`.
        """
        if is_store_address(output):
            self._refuse_predictions_beside_store(output)
            return
        place, root, serving = (Path(p).resolve() for p in (output, self.root, self.serving))
        own = (serving, *(p.resolve() for p in (self.artifacts, self.logs, self.backups)))
        holds = next((p for p in (root, serving) if p.is_relative_to(place)), None)
        lies_in = next((p for p in own if place.is_relative_to(p)), None)
        if found := holds or lies_in:
            what = "the serving directory" if found == serving else "the output directory of runs"
            relation = "is" if place in (root, serving) else "holds" if holds else "lies in"
            raise ConfigError(
                f"prediction.output: {output} {relation} {what}",
                f"name a directory of its own, such as {self.root / 'predictions'}",
            )

    def _refuse_predictions_beside_store(self, output: str) -> None:
        place = parse_address(output)
        for key, used in (("serving.directory", self.store), ("--output", self.address)):
            store = parse_address(used) if used else None
            if store and (place.is_below(store) or store.is_below(place)):
                raise ConfigError(
                    f"prediction.output: {output} lies in {key} {used}, or holds it",
                    f"name an address of its own, such as {store.root}/predictions",
                )

    @contextlib.contextmanager
    def lock(self) -> Iterator[tuple[int, ...]]:
        """Locks output and serving directory for one run, and yields the locks' file descriptors.

        An output on a store becomes as the context leaves its working copy.

        Raises:
          ConfigError: a directory cannot be made, written or locked, another run has locked it, or
            the output or the serving directory belongs to something else.
          PipelineError: the store does not answer, or not everything could be uploaded.
        """
        if signs := sorted(set(str(self.root)) & _PATTERN_SIGNS):
            raise ConfigError(
                f"--output {self.root}: contains {' '.join(signs)}, which Beam reads as a pattern",
                "name another directory with --output",
            )
        with contextlib.ExitStack() as stack:
            locks = [stack.enter_context(lock_directory(self.root, "--output", self.name))]
            if self.address:
                stack.enter_context(_hold_output(self))
            # A run with another output directory may push to the same serving directory.
            if self.serving.resolve() != self.root.resolve():
                if not self.store:
                    refuse_foreign(self.serving)
                locks.append(stack.enter_context(lock_directory(self.serving, "serving.directory")))
            self._check_and_clean()
            yield tuple(locks)

    def _check_and_clean(self) -> None:
        """Checks that the run can write its files, and removes unfinished files of killed runs."""
        for directory in (self.logs, self.backups, self.artifacts):
            if directory.exists():
                check_writable(directory, "--output")
        check_serving(self.serving)
        for pattern in (f".*{STAGED_SUFFIX}", f"logs/*/.*{STAGED_SUFFIX}"):
            for leftover in self.root.glob(pattern):
                leftover.unlink()
        for leftover in self.logs.glob(f"{REMOVED_PREFIX}*"):
            shutil.rmtree(leftover)


def locate_output(output: Path | str) -> tuple[Path, str]:
    """Returns the output directory on this machine, and its address if it lies on a store.

    The directory of a working copy stands for its address: messages of a run name it.
    """
    if isinstance(output, str) and is_store_address(output):
        copy = WorkingCopy.open(output)
        return copy.root, copy.address
    root = Path(output).absolute()
    found = WorkingCopy.find(root)
    return root, found.address if found else ""


def _hold_output(workspace: Workspace) -> contextlib.AbstractContextManager[None]:
    # Imported here: most commands need no client of object stores.
    from pipeline.runners.workspace.on_store.session import hold_output

    return hold_output(WorkingCopy(workspace.root, workspace.address), workspace.store)


def parse_run_name(name: str) -> datetime | None:
    """Returns the local time, without a time zone, in the name of a run's directory.

    None if `make_run_directory` did not choose the name.
    """
    try:
        return datetime.strptime(name, _RUN_NAME)
    except ValueError:
        return None


def _last_id(artifacts: Path) -> int:
    """Returns the highest id of an execution with files; TFX writes them to NODE/OUTPUT/ID."""
    names = (path.name for path in artifacts.glob("*/*/*"))
    return max((int(name) for name in names if name.isdigit()), default=0)
