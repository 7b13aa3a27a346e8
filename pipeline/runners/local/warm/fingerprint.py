"""Fingerprint of all that a new process would import, see and be allowed.

A fork of the warm process must not differ from a new process. So a command uses the warm process
only if both have the same fingerprint.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path

from pipeline.core.code_digest import INSTALLED, PROJECT, PROJECT_PACKAGES

_RECORDS = (".dist-info", ".egg-info", ".pth")
"""Entries that an installation of a package replaces, whatever else it writes."""
_UNREAD = frozenset(
    "_ ARGUMENTS COLORTERM COLUMNS GPG_TTY LINES LS_COLORS MAKEFLAGS MAKELEVEL MAKE_TERMERR"
    " MAKE_TERMOUT MFLAGS OLDPWD PIPELINE_KEEP_WARM PS1 PWD PYTHON SHLVL SSH_AUTH_SOCK SSH_CLIENT"
    " SSH_CONNECTION SSH_TTY STY TERM TERM_PROGRAM TERM_PROGRAM_VERSION TERM_SESSION_ID TMUX"
    " TMUX_PANE VTE_VERSION WINDOW WINDOWID XDG_SESSION_ID".split()
)
"""Variables that no import reads: they are of shells, terminals, make. A fork gets them anyway."""
_STANDARD_LIBRARY = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
_OF_PROCESSES = ("limits", "cgroup", "oom_score_adj")
_NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
_OF_STATUS = (
    "Umask", "Uid", "Gid", "Groups", "CapEff", "NoNewPrivs", "Seccomp", "Cpus_allowed", "SigBlk",
    "SigIgn",
)  # fmt: skip


def compute_fingerprint(environment: Mapping[str, str]) -> str:
    """Returns the digest, as 64 hexadecimal digits.

    It covers the environment's variables, the identity and the limits of this process, the
    interpreter, the directories of modules, the installed packages, and the sources of this
    project. Sources count by time, size and inode, packages by the records of their installation:
    `LoadedFiles` sees edits in them.
    """
    digest = hashlib.sha256()
    for fact in _list_facts(environment):
        digest.update(fact.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def _list_facts(environment: Mapping[str, str]) -> Iterator[str]:
    yield from (f"{k}={v}" for k, v in sorted(environment.items()) if k not in _UNREAD)
    yield from (sys.executable, _describe(os.path.realpath(sys.executable)))
    yield from _list_facts_of_process()
    for directory in sys.path[1:]:  # The first one is that of the command.
        yield directory
        if directory not in _STANDARD_LIBRARY:
            yield from sorted(_list_packages(directory))
    for package in PROJECT_PACKAGES:
        yield from sorted(_list_files(str(PROJECT / package)))


def _list_facts_of_process() -> Iterator[str]:
    """What the operating system gives to each child of this process."""
    yield f"{os.getpriority(os.PRIO_PROCESS, 0)} {os.sched_getscheduler(0)}"
    own = Path("/proc/self")
    for line in (own / "status").read_text().splitlines():
        if line.startswith(_OF_STATUS):
            yield line
    for name in _OF_PROCESSES:
        with contextlib.suppress(FileNotFoundError):  # Kernels without the feature.
            yield (own / name).read_text()
    for name in _NAMESPACES:
        with contextlib.suppress(FileNotFoundError):
            yield os.readlink(own / "ns" / name)


def _list_packages(directory: str) -> Iterator[str]:
    """Yields what can be imported from the directory, by name, and the records of packages.

    Directories such as a checkout hold outputs, too.
    """
    is_installed = os.path.basename(directory) in INSTALLED
    # Entries of sys.path may be archives, or not exist.
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.endswith(_RECORDS):
                yield _describe(entry.path)
            elif entry.name != "__pycache__" and (is_installed or _is_module(entry.path)):
                yield entry.path


def _is_module(path: str) -> bool:
    return path.endswith((".py", ".so")) or os.path.exists(os.path.join(path, "__init__.py"))


def _list_files(directory: str) -> Iterator[str]:
    # It may be removed meanwhile.
    with contextlib.suppress(OSError), os.scandir(directory) as entries:
        for entry in entries:
            if not entry.is_dir():
                yield _describe(entry.path)
            elif entry.name != "__pycache__":
                yield from _list_files(entry.path)


def _describe(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:  # A link to nowhere, such as an editor's lock.
        return path
    return f"{path} {status.st_mtime_ns} {status.st_size} {status.st_ino}"
