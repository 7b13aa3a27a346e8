"""Holds an output on a store while a run works in its working copy."""

from __future__ import annotations

import contextlib
import logging
import secrets
import threading
from collections.abc import Iterator

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.conditions import honors_conditions
from pipeline.core.stores.lease import hold_lease
from pipeline.core.stores.remote import Remote
from pipeline.runners.workspace.lock import is_locked, lock_directory
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.manifest import MANIFEST, METADATA
from pipeline.runners.workspace.on_store.uploading import Uploader
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy

_OWNER = ".owner"
_SERVING = "serving"
_UPLOAD_SECONDS = 10.0
"""Between two looks for a finished component: what a machine that dies loses at most, beside the
component at work."""


@contextlib.contextmanager
def hold_output(copy: WorkingCopy, serving: str) -> Iterator[None]:
    """Makes the working copy as the store is, and uploads what the context changes.

    The caller holds the lock of the working copy.

    Args:
      serving: the address of the serving directory; empty if it lies on a disk.

    Raises:
      ConfigError: the address holds other objects, another run works there, or the store refuses
        access or ignores the conditions of puts.
      PipelineError: the store does not answer, or not everything could be uploaded.
    """
    remote = Remote(copy.address)
    _refuse_foreign(remote)
    with hold_lease(copy.address, _OWNER, "run"):
        _refuse_unsafe(remote)
        check_out(copy, remote)
        uploader = Uploader(copy, remote, serving)
        uploader.sweep()
        try:
            with _uploads_meanwhile(copy, uploader):
                yield
        finally:
            _upload_last(copy, uploader)


def refresh(copy: WorkingCopy) -> str:
    """Makes the working copy as the store is, for a command that only reads.

    A run that works in the working copy is the one that changes the store.

    Returns:
      The address of the serving directory; empty if it lies on a disk.

    Raises:
      ConfigError: no run has written to the address yet, or the store refuses access.
      PipelineError: the store does not answer, or an object is damaged.
    """
    if is_locked(copy.root):
        base = copy.read_base_in_use()
        return base.manifest.serving if base else ""
    with lock_directory(copy.root, "--output"):
        base = check_out(copy, Remote(copy.address))
    if not base.manifest.token:
        raise ConfigError(
            f"--output {copy.address}: no run has written there",
            "a run makes the output; name the --output of its `run`",
        )
    return base.manifest.serving


def _refuse_foreign(remote: Remote) -> None:
    if not parse_address(remote.address).key:
        raise ConfigError(
            f"--output {remote.address}: a whole bucket would become the output directory",
            f"name an address of its own, such as {remote.address}/runs/taxi",
        )
    if remote.read_condition(MANIFEST) or remote.read_condition(_OWNER):
        return
    names = {key.split("/")[0] for key in remote.list_first() if key}
    if foreign := sorted(names - {_SERVING}):
        raise ConfigError(
            f"--output {remote.address}: holds other objects, such as '{foreign[0]}'",
            f"name an empty or a new address, such as {remote.address}/runs",
        )


def _refuse_unsafe(remote: Remote) -> None:
    if not honors_conditions(remote, f".check-{secrets.token_hex(8)}"):
        raise ConfigError(
            f"--output {remote.address}: the store ignores If-Match or If-None-Match, so two runs "
            "could overwrite each other's files",
            "update the store's server, or name another --output",
        )


@contextlib.contextmanager
def _uploads_meanwhile(copy: WorkingCopy, uploader: Uploader) -> Iterator[None]:
    """Uploads after each component, in a thread of its own."""
    ended = threading.Event()

    def work() -> None:
        last = _changed(copy)
        while not ended.wait(_UPLOAD_SECONDS):
            if (now := _changed(copy)) != last:
                last = now
                try:
                    uploader.upload(is_at_work=True)
                except (PipelineError, OSError) as error:
                    # The next upload tries again, and the last one tells the user.
                    logging.warning("An upload to %s failed: %s", copy.address, error)

    thread = threading.Thread(target=work, name="upload", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _changed(copy: WorkingCopy) -> int:
    """Returns the time of the last change of the metadata, which each component changes."""
    try:
        return (copy.root / METADATA).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _upload_last(copy: WorkingCopy, uploader: Uploader) -> None:
    try:
        uploader.upload(is_at_work=False)
    except PipelineError as error:
        raise PipelineError(
            f"not all files of the run are on {copy.address}: {error.message}",
            f"they lie in {copy.root}; the next run on this machine uploads them",
        ) from error
