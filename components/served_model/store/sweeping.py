"""Removes from a store what killed pushes and removed versions left."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta, timezone

from components.served_model.served_record import REFERENCE_DIRECTORY
from components.served_model.store.pending import Mark, read_marks
from components.served_model.store.refreshing import read_store
from components.served_model.store.snapshot import Snapshot, number_of
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.stores.remote import Remote

_STALE = timedelta(days=1)
"""How long the mark of a push stays that can no longer publish. Its process may still upload, and
nobody else may take its number meanwhile. A push hardly takes a day, and a mark has 200 bytes."""


def sweep(remote: Remote, published: Snapshot) -> None:
    """Removes the objects that the published snapshot does not list.

    A push that began before the publication can no longer publish, so its files go, too. The files
    of a push that began after it stay: it made its mark before them, with the published token.
    """
    units = [*_list_units(remote)]
    marks = read_marks(remote)
    # In this order: a push that has ended since has removed its mark, and changed the pointer.
    token = published.token
    if read_store(remote).snapshot.token != token:
        return
    at_work = {mark.number for mark in marks if mark.base == token}
    listed = published.units()
    for unit in units:
        if unit not in listed and number_of(unit) not in at_work:
            _remove_unit(remote, unit)
    remote.remove([mark.key for mark in marks if _is_over(mark, token)])


def withdraw(remote: Remote, units: Collection[str], token: str) -> None:
    """Removes the files of a push that cannot publish any more, then its marks.

    The numbers of the units must be those of the push.
    """
    for unit in units:
        _remove_unit(remote, unit)
    release(remote, token)


def release(remote: Remote, token: str) -> None:
    """Removes the marks of a push."""
    remote.remove([mark.key for mark in read_marks(remote) if mark.token == token])


def _is_over(mark: Mark, token: str) -> bool:
    is_stale = mark.base != token and datetime.now(timezone.utc) - mark.modified > _STALE
    return mark.token == token or is_stale


def _list_units(remote: Remote) -> Iterator[str]:
    yield from (name for name in remote.list_directories("") if name.isdigit())
    for parent in (REFERENCE_DIRECTORY, WAITING_DIRECTORY):
        names = remote.list_directories(parent)
        yield from (f"{parent}/{name}" for name in names if name.isdigit())


def _remove_unit(remote: Remote, unit: str) -> None:
    remote.remove([found.key for found in remote.list(unit)])
