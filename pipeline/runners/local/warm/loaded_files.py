"""The files from which this process has imported its modules: has any been replaced since?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator


class LoadedFiles:
    """The files of all modules in `sys.modules`.

    The time of a file's last change of status counts: it also tells of a file that another one
    with an older time of modification has replaced.

    Args:
      started_ns: nanoseconds since the epoch; files that changed later may differ from what was
        imported.
    """

    def __init__(self, started_ns: int) -> None:
        self._seen = {path: _look_at(path) for path in set(_list_files())}
        self._are_as_imported = all(time < started_ns for time, _ in self._seen.values())

    def are_unchanged(self) -> bool:
        """Whether a new process would import the same files."""
        return self._are_as_imported and all(_look_at(p) == seen for p, seen in self._seen.items())


def _list_files() -> Iterator[str]:
    for module in list(sys.modules.values()):
        # Not by getattr: modules that load lazily would load.
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str):
            yield file


def _look_at(path: str) -> tuple[int, int]:
    """Returns the time and the inode of a file; zeros if there is none, as in an archive."""
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0
    return status.st_ctime_ns, status.st_ino
