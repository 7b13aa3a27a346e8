"""Files that survive a crash: atomic writes, waiting for the disk, and sizes to compare later.

Local paths and addresses with `://`, such as gs://bucket/file. TensorFlow opens the latter; the
functions import it only then, because most processes that write files run without TensorFlow.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Mapping

NO_ADDRESS = "{} is an address, but must be a path of a file system: copy the data, or mount it"
"""What a user is told who names an object store or a web address where a path is needed."""
STAGED_SUFFIX = ".part"
"""Ends the name of a file that is being written; see `staged_name`. A kill leaves such files."""
_COPIED_BYTES = 1 << 20
"""The bytes that a copy holds in memory."""


def write_text_atomically(path: str | os.PathLike[str], text: str, *, durable: bool) -> None:
    """Replaces the file by `text` in UTF-8: see `write_bytes_atomically`."""
    write_bytes_atomically(path, text.encode("utf-8"), durable=durable)


def write_bytes_atomically(path: str | os.PathLike[str], content: bytes, *, durable: bool) -> None:
    """Replaces the file: readers see the old content or the new content, never a part.

    A durable write also survives a power cut: it returns when the disk holds the content and the
    directory's new entry. Other writes leave the time to the operating system, and a power cut
    can bring the old file back. The directory must exist.
    """
    path = os.fspath(path)
    directory, name = os.path.split(path)
    staged = os.path.join(directory, staged_name(name))
    if is_remote(path):
        _replace_remote(path, staged, content)
        return
    try:
        with open(staged, "xb") as file:
            file.write(content)
        if durable:
            # Before the rename: otherwise the new name can reach the disk before the content.
            sync(staged)
        os.replace(staged, path)
    except BaseException:
        if os.path.lexists(staged):
            os.unlink(staged)
        raise
    if durable:
        # A directory that this user may write but not read cannot be opened for the sync.
        with contextlib.suppress(PermissionError):
            sync(directory or os.curdir)


def staged_name(name: str) -> str:
    """A hidden name beside `name`, new at each call: two writers never share a staged file."""
    return f".{name}.{secrets.token_hex(4)}{STAGED_SUFFIX}"


def is_staged(name: str) -> bool:
    """Whether `staged_name` made this file name."""
    return name.startswith(".") and name.endswith(STAGED_SUFFIX)


def is_remote(path: str) -> bool:
    """Whether the path is an address such as gs://bucket/file."""
    return "://" in path


def _replace_remote(path: str, staged: str, content: bytes) -> None:
    import tensorflow as tf

    try:
        with tf.io.gfile.GFile(staged, "wb") as file:
            file.write(content)
        tf.io.gfile.rename(staged, path, overwrite=True)
    except BaseException:
        if tf.io.gfile.exists(staged):
            tf.io.gfile.remove(staged)
        raise


def sync(path: str | os.PathLike[str]) -> None:
    """Waits until the disk holds a local file, or a local directory's entries.

    Does nothing for addresses: object stores keep what they have accepted.
    """
    path = os.fspath(path)
    if is_remote(path):
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems cannot sync directories.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


def sync_tree(directory: str) -> None:
    """Waits until the disk holds a local directory and everything below it."""
    for parent, _, names in os.walk(directory):
        for name in names:
            sync(os.path.join(parent, name))
        sync(parent)


def try_lock(descriptor: int) -> bool:
    """Takes the exclusive `flock` of an open file; returns whether no other process holds it.

    Raises:
      OSError: the file system has no locks.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # SMB reports a held lock as the latter.
        return False
    return True


def is_lock_held(path: str | os.PathLike[str]) -> bool | None:
    """Whether a process holds the `flock` of the file; None if this process cannot tell.

    `flock` cannot be asked, so this function takes a shared lock for an instant, if it is free: two
    processes that ask do not see each other as a holder, and holders try more than once. False may
    also mean that the file system keeps locks within one node.
    """
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return False
    except BlockingIOError:
        return True
    except OSError:
        return None


def copy_tree(source: str, target: str) -> None:
    """Copies the files of a local directory to a new directory.

    New files and directories get the usual permissions of this process, not those of the originals:
    a model server of another user must be able to read what is served.

    Raises:
      OSError: a file cannot be read or written.
    """
    for parent, _, names in os.walk(source, onerror=_raise, followlinks=True):
        into = os.path.join(target, os.path.relpath(parent, source))
        os.makedirs(into)
        for name in names:
            with (
                open(os.path.join(parent, name), "rb") as old,
                open(os.path.join(into, name), "xb") as new,
            ):
                shutil.copyfileobj(old, new, _COPIED_BYTES)


def _raise(error: OSError) -> None:
    """Ends a walk: `os.walk` itself skips directories that cannot be read."""
    raise error


def file_sizes(directory: str) -> dict[str, int]:
    """Returns the bytes of each file below `directory`, by its path relative to the directory.

    Without the directory there are no files.
    """
    if not is_remote(directory):
        return _local_file_sizes(directory)
    import tensorflow as tf
    from tfx.dsl.io import fileio

    paths = (os.path.join(parent, n) for parent, _, names in fileio.walk(directory) for n in names)
    return {os.path.relpath(path, directory): int(tf.io.gfile.stat(path).length) for path in paths}


def _local_file_sizes(directory: str) -> dict[str, int]:
    if not os.path.exists(directory):
        return {}
    walk = os.walk(directory, onerror=_raise, followlinks=True)
    paths = (os.path.join(parent, name) for parent, _, names in walk for name in names)
    return {os.path.relpath(path, directory): os.stat(path).st_size for path in paths}


def has_files(directory: str, sizes: Mapping[str, int]) -> bool:
    """Whether the directory has each file of `sizes`, with its bytes; other files are ignored."""
    return _exists(directory) and sizes.items() <= file_sizes(directory).items()


def _exists(path: str) -> bool:
    if not is_remote(path):
        return os.path.exists(path)
    from tfx.dsl.io import fileio

    return bool(fileio.exists(path))
