"""Publishes to the store what was changed in its copy on this machine.

`lock_serving` holds the lock of the copy, and calls `publishing` around the code that changes it.
The steps, and what a kill after each of them leaves:

| step | after a kill |
| --- | --- |
| 1. The copy becomes as the store is, and is marked as dirty. | the next use resets the copy |
| 2. The Pusher, `promote` or `rollback` changes the copy. | the same: the store knows nothing |
| 3. `.pending/NUMBER` is made, on the condition that it does not exist. | the former version is |
| 4. The files of the new version are uploaded below NUMBER. | served; the next change removes |
|  | the files, since its own put makes the condition of step 5 fail for ever |
| 5. `served.json` is replaced, if it is still that of step 1. | the new version is served |
| 6. Objects that `served.json` does not list are removed. | the next change removes them |
| 7. `models.config` is replaced. | the next change replaces it |
| 8. The copy is no longer dirty. | the next use compares the copy with the store |

Two machines at once: both pass step 4, under numbers of their own, and one of them fails in step 5.
Its copy becomes as the store is, and its user is told that somebody else changed the served
version. This holds for a push, `promote` and `rollback` alike, in every combination.

A process that hangs between the steps cannot do harm later: its put fails, and nobody else takes
its number while `.pending/NUMBER` exists.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from components.served_model.store.local_copy import LocalCopy, Seen
from components.served_model.store.pending import list_pending, reserve
from components.served_model.store.refreshing import POINTER, THREADS, read_store, synchronise
from components.served_model.store.snapshot import Snapshot, number_of
from components.served_model.store.sweeping import release, sweep, withdraw
from pipeline.core.contracts import ArtifactFile
from pipeline.core.errors import ConfigError, PipelineError
from pipeline.core.stores.remote import LostRaceError, Remote

_MODELS_CONFIG = "models.config"


class OvertakenError(ConfigError):
    """Another process changed the store between the begin and the end of a change."""


@contextlib.contextmanager
def publishing(copy: LocalCopy) -> Iterator[None]:
    """Makes the copy agree with the store, and publishes what the context changes.

    The caller holds the lock of the copy. If the context or the publication fails, the copy becomes
    as the store is.

    Raises:
      ConfigError: another process changed the store meanwhile, or the store refuses access.
      PipelineError: the store does not answer, or an object is damaged.
    """
    remote = Remote(copy.address)
    base = synchronise(copy, remote)
    copy.write_reserved(list_pending(remote))
    _fetch_models_config(copy, remote)
    copy.mark_dirty()
    try:
        yield
        content = copy.scan(base.snapshot)
        seen = base
        if not content.has_same_content(base.snapshot):
            seen = _publish(copy, remote, base, content.with_new_token())
    except BaseException as error:
        _restore(copy, remote, base, error)
        raise
    copy.write_seen(seen)


def _publish(copy: LocalCopy, remote: Remote, base: Seen, new: Snapshot) -> Seen:
    added = new.units() - base.snapshot.units()
    _take_numbers(remote, base, new, added)
    try:
        _upload(copy, remote, [path for unit in added for path in new.files_of(unit)])
    except Exception:
        with contextlib.suppress(PipelineError):
            withdraw(remote, added, new.token)
        raise
    condition = _replace_pointer(remote, base, new, added)
    # The version is served from here on. What follows only tidies, and the next change repeats it.
    try:
        sweep(remote, new)
        _push_models_config(copy, remote)
    except PipelineError:
        logging.warning("Tidying %s failed; the next push repeats it", copy.address, exc_info=True)
    return Seen(new, condition)


def _take_numbers(remote: Remote, base: Seen, new: Snapshot, added: set[str]) -> None:
    """Makes the numbers of the added versions ours, as long as their marks exist.

    A push that took a number before and has published it has removed its mark already. So the
    pointer is looked at once more, before a file of that push could be overwritten.
    """
    try:
        reserve(remote, {number_of(unit) for unit in added}, new.token, base.snapshot.token)
        held = read_store(remote).snapshot
        if held.token != base.snapshot.token:
            raise _make_lost_error(remote, held)
    except Exception:
        with contextlib.suppress(PipelineError):
            release(remote, new.token)
        raise


def _upload(copy: LocalCopy, remote: Remote, paths: list[str]) -> None:
    # A server that watches the directory of versions takes one with this file as whole.
    last = [path for path in paths if path.endswith(ArtifactFile.SAVED_MODEL)]
    for group in ([path for path in paths if path not in last], last):
        with ThreadPoolExecutor(THREADS) as pool:
            done = [pool.submit(remote.upload, copy.path(path), path) for path in sorted(group)]
            for one in done:
                one.result()


def _replace_pointer(remote: Remote, base: Seen, new: Snapshot, added: set[str]) -> dict[str, str]:
    """Replaces the pointer, and returns the condition of its next replacement.

    Raises:
      OvertakenError: it is no longer the pointer of `base`.
      PipelineError: it is not known whether the put was accepted. Then no uploaded file is removed:
        a request that is still on its way may make them the served version.
    """
    try:
        return remote.put_if(POINTER, new.to_bytes(), base.condition)
    except (LostRaceError, PipelineError) as error:
        held = read_store(remote)
        # The client repeated the put after a lost answer.
        if held.snapshot.token == new.token:
            return held.condition
        if held.snapshot.token == base.snapshot.token:
            if isinstance(error, PipelineError):
                raise
            raise PipelineError(
                f"{remote.address}/{POINTER}: the store refuses a conditional put whose condition "
                "holds",
                "the store must support If-Match and If-None-Match",
            ) from error
        with contextlib.suppress(PipelineError):
            withdraw(remote, added, new.token)
        raise _make_lost_error(remote, held.snapshot) from error


def _make_lost_error(remote: Remote, held: Snapshot) -> OvertakenError:
    version = held.pointer.get("version")
    served = f"version {version} is served there now" if version else "nothing is served there now"
    return OvertakenError(
        f"serving.directory: another run, promote or rollback changed {remote.address} meanwhile, "
        f"so nothing was changed; {served}",
        "run again: the model is compared with what is served now",
    )


def _restore(copy: LocalCopy, remote: Remote, base: Seen, error: BaseException) -> None:
    """Undoes the changes of the copy; what cannot be undone now waits for the next use."""
    copy.begin_reset(base.snapshot)
    copy.end_reset(base.snapshot)
    if isinstance(error, OvertakenError):
        # The store answers, and holds another version.
        with contextlib.suppress(PipelineError):
            synchronise(copy, remote)


def _fetch_models_config(copy: LocalCopy, remote: Remote) -> None:
    """Fetches the file, in which a person may have corrected a path."""
    if found := remote.read(_MODELS_CONFIG):
        copy.path(_MODELS_CONFIG).write_bytes(found[0])


def _push_models_config(copy: LocalCopy, remote: Remote) -> None:
    path = copy.path(_MODELS_CONFIG)
    if path.exists():
        remote.put(_MODELS_CONFIG, path.read_bytes())
