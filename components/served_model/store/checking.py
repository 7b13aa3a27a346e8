"""Checks, before hours of work, that a push may and can write to an address."""

from __future__ import annotations

import secrets

from components.served_model.served_record import REFERENCE_DIRECTORY
from components.served_model.store.pending import list_pending
from components.served_model.store.refreshing import POINTER
from components.served_model.waiting import WAITING_DIRECTORY
from pipeline.core.errors import ConfigError
from pipeline.core.stores.conditions import honors_conditions
from pipeline.core.stores.remote import Remote

_KEY = "serving.directory"
_CHECKS = ".pending/check-"
_OWN = (REFERENCE_DIRECTORY, WAITING_DIRECTORY, ".pending", POINTER, "models.config")


def check_store(address: str) -> None:
    """Checks that the address is a serving directory or empty, and that it can be changed.

    Raises:
      ConfigError: it holds other objects, or versions without a pointer; it may not be written, or
        its store replaces an object although the condition of the put does not hold.
    """
    remote = Remote(address)
    if not remote.read_condition(POINTER):
        _refuse_foreign(remote)
        _refuse_lost_pointer(remote)
    key = f"{_CHECKS}{secrets.token_hex(8)}"
    if not honors_conditions(remote, key):
        raise ConfigError(
            f"{_KEY}: the store of {address} ignores If-Match or If-None-Match, so two runs "
            "could overwrite each other's push",
            "update the store's server, or name another serving.directory",
        )


def _refuse_foreign(remote: Remote) -> None:
    names = (key.split("/")[0] for key in remote.list_first())
    if foreign := sorted({name for name in names if not name.isdigit() and name not in _OWN}):
        raise ConfigError(
            f"{_KEY}: {remote.address} holds other objects, such as {foreign[0]!r}",
            f"name an address of its own for the versions: {_KEY}={remote.address}/models",
        )


def _refuse_lost_pointer(remote: Remote) -> None:
    """Raises ConfigError if there are versions without a pointer: a push would remove them."""
    pending = list_pending(remote)
    versions = [n for n in remote.list_directories("") if n.isdigit() and n not in pending]
    if versions:
        raise ConfigError(
            f"{_KEY}: {remote.address}/{POINTER} is gone, and with it which of the versions was "
            f"served ({', '.join(versions)}), and which files they have",
            "put a backup of the object in its place, such as its last state if the bucket keeps "
            "earlier states; to begin anew, name an empty address",
        )
