"""What must survive a power cut: without this, a rename can reach the disk before the content.

Local paths only; object stores have nothing of the kind, and need nothing.
"""

from __future__ import annotations

import errno
import os


def sync(path: str) -> None:
    """Waits until a local file, or a directory's list of names, is on the disk."""
    if "://" in path:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot do this for directories.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def sync_tree(directory: str) -> None:
    """The same for everything below a local directory, and itself."""
    for parent, _, names in os.walk(directory):
        for name in names:
            sync(os.path.join(parent, name))
        sync(parent)
