"""Builds the library that torture loads into a run, and is the other side of its control page."""

import hashlib
import mmap
import os
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

_SOURCE = Path(__file__).with_name("shim.c")
_PAGE_BYTES = 512
_FIELDS = ("changes", "freeze_at", "frozen", "delay_us", "clock_offset")
_PLACE = 8 * len(_FIELDS)


def find_compiler() -> str | None:
    """Returns the C compiler of this machine, None without one."""
    return shutil.which("cc") or shutil.which("gcc")


def build_shim(directory: Path) -> Path:
    """Returns the compiled library, which is built once for each state of its source.

    Raises:
      RuntimeError: this machine has no C compiler, or the compiler fails.
    """
    digest = hashlib.sha256(_SOURCE.read_bytes()).hexdigest()[:12]
    library = directory / f"shim-{digest}.so"
    if library.exists():
        return library
    compiler = find_compiler()
    if compiler is None:
        raise RuntimeError("torture needs a C compiler: apt-get install gcc")
    directory.mkdir(parents=True, exist_ok=True)
    staged = library.with_suffix(f".{os.getpid()}")
    # With _FORTIFY_SOURCE, which some compilers set, headers define `open` and others inline.
    options = ["-shared", "-fPIC", "-O2", "-Wall", "-U_FORTIFY_SOURCE"]
    command = [compiler, *options, "-o", staged, _SOURCE, "-ldl"]
    built = subprocess.run(command, capture_output=True, text=True)
    if built.returncode != 0:
        raise RuntimeError(f"{compiler} cannot build {_SOURCE.name}: {built.stderr.strip()}")
    staged.rename(library)
    return library


class Control:
    """The page through which torture and the processes of one run talk to each other."""

    def __init__(self, path: Path, root: Path, library: Path) -> None:
        """Starts a new page. Only changes of files below `root` count."""
        path.unlink(missing_ok=True)
        path.write_bytes(bytes(_PAGE_BYTES))
        with path.open("r+b") as file:
            self._page = mmap.mmap(file.fileno(), _PAGE_BYTES)
        self.path = str(path)
        self.environment = {
            "LD_PRELOAD": str(library),
            "TORTURE_CONTROL": self.path,
            "TORTURE_ROOT": str(root),
        }

    @property
    def changes(self) -> int:
        """The changes of files so far, of all processes of the run."""
        return self._read("changes")

    @property
    def frozen(self) -> int:
        """The process that is stopped before a change; 0 if there is none."""
        return self._read("frozen")

    @property
    def place(self) -> str:
        """The change before which the run stopped, such as "rename to serving/served.json"."""
        return self._page[_PLACE:].split(b"\0")[0].decode(errors="replace")

    def freeze_before(self, change: int) -> None:
        """Stops the run before this change, counted from 1."""
        self._write("freeze_at", change)

    def slow_down(self, microseconds: int) -> None:
        """Delays each change of a file, as a slow disk does."""
        self._write("delay_us", microseconds)

    def set_clock(self, seconds: int) -> None:
        """Sets the clock of the run's processes wrong by so many seconds."""
        self._write("clock_offset", seconds)

    def release(self) -> None:
        """Continues the process that is stopped before a change, if it still exists."""
        process = self.frozen
        if process == 0:
            return
        self._write("frozen", 0)
        # The library says that it will stop a moment before it does.
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline and not _is_stopped(process):
            time.sleep(0.002)
        _continue(process)

    def _read(self, name: str) -> int:
        (value,) = struct.unpack_from("q", self._page, 8 * _FIELDS.index(name))
        return int(value)

    def _write(self, name: str, value: int) -> None:
        struct.pack_into("q", self._page, 8 * _FIELDS.index(name), value)


def _is_stopped(process: int) -> bool:
    """Whether the process is stopped, or has ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return True
    return state in "TtZX"


def _continue(process: int) -> None:
    try:
        os.kill(process, signal.SIGCONT)
    except ProcessLookupError:
        return
