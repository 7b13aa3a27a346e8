"""Holds an output on a store while a run works in its working copy."""

from __future__ import annotations

import _thread
import contextlib
import logging
import secrets
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.address import parse_address
from pipeline.core.stores.conditions import honors_conditions
from pipeline.core.stores.lease import LostLeaseError, hold_lease, is_lost
from pipeline.core.stores.remote import Remote
from pipeline.core.threads import work_beside
from pipeline.runners.workspace.lock import is_locked
from pipeline.runners.workspace.on_store.downloading import check_out
from pipeline.runners.workspace.on_store.errors import NotUploadedError
from pipeline.runners.workspace.on_store.manifest import MANIFEST, METADATA, OWNER, Manifest
from pipeline.runners.workspace.on_store.uploading import Uploader, sweep
from pipeline.runners.workspace.on_store.working_copy import WorkingCopy

_SERVING = "serving"
_LOOK_SECONDS = 1.0
_UPLOAD_SECONDS = 10.0
"""Between two uploads: what a machine that dies loses at most, beside the component at work."""


@contextlib.contextmanager
def hold_output(copy: WorkingCopy, serving: str) -> Iterator[None]:
    """Makes the working copy as the store is, and uploads what the context changes.

    The caller holds the lock of the working copy. If another machine takes the output over, the
    context is interrupted as by Ctrl-C.

    Args:
      serving: the address of the serving directory; empty if it lies on a disk.

    Raises:
      ConfigError: the address holds other objects, another run works there, its runs work below
        another path, or the store refuses access or ignores the conditions of puts.
      NotUploadedError: see there.
      PipelineError: the store does not answer.
    """
    remote = Remote(copy.address)
    _refuse_places(copy.address, serving)
    _refuse_foreign(remote)
    with hold_lease(copy.address, OWNER, "run"):
        _refuse_unsafe(remote)
        base = check_out(copy, remote)
        _refuse_other_root(copy, base.manifest)
        copy.sweep_staged()
        sweep(remote, base.manifest)
        uploader = Uploader(copy, remote, serving)
        try:
            with work_beside(partial(_upload_until_end, copy, uploader), "upload"):
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
    base = check_out(copy, Remote(copy.address), "read")
    if not base.manifest.token:
        raise ConfigError(
            f"--output {copy.address}: no run has written there",
            "a run makes the output; name the --output of its `run`",
        )
    return base.manifest.serving


def _refuse_places(address: str, serving: str) -> None:
    """Refuses a whole bucket, and a serving directory that lies among the files of runs."""
    output = parse_address(address)
    if not output.key:
        raise ConfigError(
            f"--output {address}: a whole bucket would become the output directory",
            f"name an address of its own, such as {address}/runs/taxi",
        )
    models = parse_address(serving) if serving else None
    is_inside = models is not None and models.is_below(output) and models != output.child(_SERVING)
    if models is not None and (is_inside or output.is_below(models)):
        raise ConfigError(
            f"serving.directory: {serving} lies in --output {address}, or holds it",
            f"name an address of its own, or leave the key out: models then go to "
            f"{output.child(_SERVING)}",
        )


def _refuse_foreign(remote: Remote) -> None:
    if remote.read_condition(MANIFEST) or remote.read_condition(OWNER):
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


def _refuse_other_root(copy: WorkingCopy, manifest: Manifest) -> None:
    """Refuses to work below another path, if there are artifacts: all would count as lost."""
    if manifest.units and manifest.root != str(copy.root):
        caches = Path(manifest.root).parents[1]
        raise ConfigError(
            f"--output {copy.address}: its runs work in {manifest.root}, and the metadata names "
            f"artifacts by this path; here it would be {copy.root}",
            f"set XDG_CACHE_HOME={caches} and the same endpoint as there, or name another --output",
        )


def _upload_until_end(copy: WorkingCopy, uploader: Uploader, ended: threading.Event) -> None:
    """Uploads after each component, until the run has ended."""
    uploaded, waited = _changed(copy), 0.0
    while not ended.wait(_LOOK_SECONDS):
        if is_lost(copy.address):
            # What the run does from now on would be for nothing.
            _thread.interrupt_main()
            return
        waited += _LOOK_SECONDS
        now = _changed(copy)
        if now == uploaded or waited < _UPLOAD_SECONDS:
            continue
        waited = 0.0
        try:
            uploader.upload(is_at_work=True)
            uploaded = now
        except (PipelineError, OSError) as error:
            # The next upload tries again, and the last one tells the user.
            logging.warning("An upload to %s failed: %s", copy.address, error)


def _changed(copy: WorkingCopy) -> int:
    """Returns the time of the last change of the metadata, which each component changes."""
    try:
        return (copy.root / METADATA).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def _upload_last(copy: WorkingCopy, uploader: Uploader) -> None:
    try:
        uploader.upload(is_at_work=False)
    except LostLeaseError as error:
        raise NotUploadedError(error.message, error.hint) from error
    except PipelineError as error:
        raise NotUploadedError(
            f"not all files of the run are on {copy.address}: {error.message}",
            f"they lie in {copy.root}; the next run on this machine uploads them, unless another "
            "machine runs before",
        ) from error
