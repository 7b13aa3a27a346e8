"""An output in an object store: whose it is, and which prediction works in it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator

from pipeline.core.errors import ConfigError
from pipeline.core.stores.conditions import honors_conditions
from pipeline.core.stores.lease import hold_lease
from pipeline.core.stores.remote import Remote
from serving.batch.results.records import RECORDS_DIRECTORY

_MARK = f"{RECORDS_DIRECTORY}/.owner"
"""Beside the records, so that an output says whose it is from the first object on."""


@contextlib.contextmanager
def own_store_output(output: str) -> Iterator[None]:
    """Makes the output ours while the context lasts.

    Raises:
      ConfigError: it holds other objects, cannot be written, or another prediction works in it.
    """
    _refuse_foreign(Remote(output), "--output")
    with hold_lease(output, _MARK, "prediction"):
        yield


def check_store_output(output: str, key: str) -> None:
    """Checks that an output is ours or empty, and that objects can be put and removed there.

    Args:
      key: the name of the setting, for the message.

    Raises:
      ConfigError: it holds other objects, cannot be written, or its store ignores conditions.
    """
    remote = Remote(output)
    _refuse_foreign(remote, key)
    # After a kill, the next prediction removes it as a record that belongs to no file.
    if not honors_conditions(remote, f"{RECORDS_DIRECTORY}/.check-{secrets.token_hex(8)}.json"):
        raise ConfigError(
            f"{key}: the store of {output} ignores If-Match or If-None-Match, so two predictions "
            "could overwrite each other",
            f"update the store's server, or name another {key}",
        )


def _refuse_foreign(remote: Remote, key: str) -> None:
    if any(True for _ in remote.list(RECORDS_DIRECTORY)):
        return
    # Consoles mark a folder with an empty object of its name.
    if foreign := sorted(name for name in remote.list_first() if name):
        raise ConfigError(
            f"{key} {remote.address}: holds other objects, such as '{foreign[0]}'",
            f"name an empty or a new address, such as {remote.address}/predictions",
        )
