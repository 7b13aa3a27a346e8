"""Finds the objects that match a pattern, without listing more of the bucket than it must.

A store has keys, and no folders. Asked with a delimiter, it answers as if it had them: one level
below a prefix. So each part of a pattern is matched on its level, and other folders stay unread.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.core.errors import ConfigError
from pipeline.core.stores.address import StoreAddress, parse_address
from pipeline.core.stores.client import open_store
from pipeline.core.stores.errors import NoObjectError, explaining_store_errors
from pipeline.core.stores.waiting import await_request

if TYPE_CHECKING:
    from obstore import ObjectMeta

_ANY_FOLDERS = "**"
_HAS_WILDCARD = re.compile(r"[*?[]")


@dataclass(frozen=True, order=True)
class StoreObject:
    """An object as it was when it was found: readers refuse it when it was changed since."""

    address: StoreAddress
    size: int
    e_tag: str | None
    """Another after each change of the content; None in a store that has none."""

    @classmethod
    def of(cls, address: StoreAddress, meta: ObjectMeta) -> StoreObject:
        """Returns the object that a store describes."""
        tag = meta["e_tag"]
        # Azure quotes the tag in an answer about one object, and not in a list.
        if tag and not tag.endswith('"'):
            tag = f'"{tag}"'
        return cls(address, meta["size"], tag)

    def __str__(self) -> str:
        return str(self.address)


def find_object(address: StoreAddress) -> StoreObject:
    """Returns the object at the address, which is no pattern.

    Raises:
      NoObjectError: there is none.
      ConfigError: see `explaining_store_errors`.
    """
    with explaining_store_errors(address):
        found = await_request(lambda: open_store(address).head(address.key))
    return StoreObject.of(address, found)


def find_objects(pattern: str) -> list[StoreObject]:
    """Returns the objects that match, sorted by their keys; none if nothing matches.

    `*`, `?` and `[...]` match within a part of the key, `**` any parts. As on a disk, a wildcard
    matches no name that begins with a dot. A name may also be the pattern itself, letter by letter.

    Raises:
      ConfigError: the whole bucket would be listed, or see `explaining_store_errors`.
    """
    address = parse_address(pattern)
    if not _HAS_WILDCARD.search(address.key):
        return _find_one(address)
    parts = address.key.split("/")
    if parts[0] == _ANY_FOLDERS:
        raise ConfigError(
            f"{pattern}: all objects of the bucket would be listed",
            f"name a folder before `**`, as in {address.root}/folder/**/*.csv",
        )
    return sorted(_match(address.with_key(""), parts))


def _find_one(address: StoreAddress) -> list[StoreObject]:
    try:
        return [find_object(address)]
    except NoObjectError:
        # A request for one object cannot tell a missing bucket; a list can.
        _list_level(address)
        return []


def _match(folder: StoreAddress, parts: Sequence[str]) -> Iterator[StoreObject]:
    """Yields the objects below `folder` whose keys match the parts of a pattern."""
    first, *others = parts
    if first == _ANY_FOLDERS:
        yield from _match_below(folder, others)
    elif not others:
        _, objects = _list_level(folder)
        yield from (found for found in objects if _is_match(found.address.name, first))
    elif not _HAS_WILDCARD.search(first):
        yield from _match(folder.child(first), others)
    else:
        folders, _ = _list_level(folder)
        for below in folders:
            if _is_match(below.name, first):
                yield from _match(below, others)


def _match_below(folder: StoreAddress, parts: Sequence[str]) -> Iterator[StoreObject]:
    """Yields the objects at any depth whose last parts match."""
    with explaining_store_errors(folder):
        found = await_request(lambda: open_store(folder).list(folder.key).collect())
    folders = {folder.key, *(p for meta in found for p in _list_parents(meta["path"]))}
    for meta in found:
        # Consoles mark a folder with an empty object.
        is_marker = meta["size"] == 0 and meta["path"] in folders
        names = meta["path"][len(folder.key) + 1 :].split("/")
        if not is_marker and _ends_like(names, parts):
            yield StoreObject.of(folder.with_key(meta["path"]), meta)


def _list_parents(key: str) -> Iterator[str]:
    while "/" in key:
        key = key.rpartition("/")[0]
        yield key


def _ends_like(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether the names match the parts of a pattern that follow `**`."""
    if not parts:
        return not any(name.startswith(".") for name in names)
    if parts[0] == _ANY_FOLDERS:
        return _ends_like(names, parts[1:])
    for skipped in range(len(names) - len(parts) + 1):
        if any(name.startswith(".") for name in names[:skipped]):
            return False
        if _starts_like(names[skipped:], parts):
            return True
    return False


def _starts_like(names: Sequence[str], parts: Sequence[str]) -> bool:
    for index, part in enumerate(parts):
        if part == _ANY_FOLDERS:
            return _ends_like(names[index:], parts[index + 1 :])
        if index >= len(names) or not _is_match(names[index], part):
            return False
    return len(names) == len(parts)


def _list_level(folder: StoreAddress) -> tuple[list[StoreAddress], list[StoreObject]]:
    """Returns the folders and the objects directly below."""
    with explaining_store_errors(folder):
        found = await_request(lambda: open_store(folder).list_with_delimiter(folder.key or None))
    folders = [folder.with_key(key) for key in found["common_prefixes"]]
    objects = [StoreObject.of(folder.with_key(meta["path"]), meta) for meta in found["objects"]]
    return folders, objects


def _is_match(name: str, part: str) -> bool:
    if name == part:
        return True
    return fnmatch.fnmatchcase(name, part) and (part[0] == "." or not name.startswith("."))
