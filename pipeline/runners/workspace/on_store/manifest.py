"""Manifest: all files of an output directory on a store, at one moment."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pipeline.core.errors import ConfigError
from pipeline.core.stores.entry import Entry

MANIFEST = "output.json"
OWNER = ".owner"
"""The mark of the run that works in the output."""
ARTIFACTS = "artifacts"
METADATA = "metadata.db"
BACKUPS = "backups"
LOGS = "logs"
REMEDY = (
    "put an earlier version of the object in its place, if the bucket keeps versions; or name "
    "another --output"
)
"""What the user can do about a damaged object of an output."""
OBJECTS = "objects"
"""Where the files lie that must fit each other, named by the SHA-256 of their bytes."""
_FORMAT = 1
_UNIT_PARTS = 5
"""The parts of artifacts/METADATA_AGE/NODE/OUTPUT/ID, the directory of an artifact."""


@dataclass(frozen=True)
class Manifest:
    """The content of an output directory; paths are relative to it."""

    files: Mapping[str, Entry] = field(default_factory=dict)
    units: frozenset[str] = frozenset()
    """The directories of artifacts, also of those that have no files."""
    serving: str = ""
    """The address of the serving directory; empty if it lies on a disk."""
    root: str = ""
    """The directory of the working copies: the metadata names artifacts by it."""
    token: str = ""
    """Tells this manifest from all others, also from one of equal content; empty for none."""

    @classmethod
    def parse(cls, content: bytes, source: str) -> Manifest:
        """Returns the manifest in an object.

        Args:
          source: the address of the object, for the error message.

        Raises:
          ConfigError: the object is damaged, or of a later release.
        """
        try:
            stored = json.loads(content)
            if stored["format"] != _FORMAT:
                raise ValueError(f"its format is {stored['format']}")
            files = {str(path): Entry(*entry) for path, entry in stored["files"].items()}
            units = frozenset(map(str, stored["units"]))
            return cls(files, units, stored["serving"], stored["root"], stored["token"])
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ConfigError(
                f"{source}: damaged, or written by another release: {error}",
                REMEDY,
            ) from None

    def with_new_token(self) -> Manifest:
        """Returns the manifest as one that nobody has uploaded yet."""
        return replace(self, token=secrets.token_hex(16))

    def to_bytes(self) -> bytes:
        """Returns the content of the object."""
        files = {path: [one.size, one.sha256] for path, one in self.files.items()}
        content = {
            "format": _FORMAT,
            "token": self.token,
            "serving": self.serving,
            "root": self.root,
            "units": sorted(self.units),
            "files": files,
        }
        return json.dumps(content, indent=1, sort_keys=True).encode()

    def has_same_content(self, other: Manifest) -> bool:
        """Whether both list the same files and directories."""
        one, two = ((m.files, m.units, m.serving, m.root) for m in (self, other))
        return one == two

    def group_by_unit(self) -> dict[str, dict[str, Entry]]:
        """Returns the files of each artifact that has files."""
        groups: dict[str, dict[str, Entry]] = {}
        for path, entry in self.files.items():
            if unit := find_unit(path):
                groups.setdefault(unit, {})[path] = entry
        return groups

    def keys(self) -> set[str]:
        """Returns the keys of all objects that the manifest needs, without its own."""
        return {key_of(path, entry) for path, entry in self.files.items()}


def find_unit(path: str) -> str:
    """Returns the directory of the artifact that a file belongs to; empty for other files."""
    parts = path.split("/")
    if parts[0] != ARTIFACTS or len(parts) <= _UNIT_PARTS:
        return ""
    return "/".join(parts[:_UNIT_PARTS])


def name_unit(uri: str) -> str:
    """Returns the directory that an artifact's URI names, relative to the output directory.

    Empty for a URI of another form. The URI may name a directory of another machine.
    """
    parts = uri.rstrip("/").split("/")[-_UNIT_PARTS:]
    return "/".join(parts) if len(parts) == _UNIT_PARTS and parts[0] == ARTIFACTS else ""


def key_of(path: str, entry: Entry) -> str:
    """Returns the key of a file's object, below the address of the output.

    Logs and pages have their own names, for people who look at the store. They may be newer than
    the manifest. All other files must fit each other and the metadata, so no upload may replace
    their objects.
    """
    return f"{OBJECTS}/{entry.sha256}" if is_settled(path) else path


def is_settled(path: str) -> bool:
    """Whether the object of a file always has the bytes that the manifest tells."""
    return path == METADATA or is_backup(path) or path.startswith(f"{ARTIFACTS}/")


def is_backup(path: str) -> bool:
    """Whether a file belongs to the backup of a training or a search."""
    return path.startswith(f"{BACKUPS}/")
