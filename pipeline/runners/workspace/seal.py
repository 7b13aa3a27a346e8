"""The seal of a published artifact: the sizes of its files, to notice lost and cut files later."""

from __future__ import annotations

import json

from pipeline.core.files import file_sizes, has_files, sync_tree


def seal(directory: str) -> str:
    """Waits until all files of the directory are on the disk, and returns their sizes as JSON.

    A power cut then cannot lose files of an artifact that metadata lists as published.
    """
    sync_tree(directory)
    return json.dumps(file_sizes(directory), sort_keys=True)


def is_whole(directory: str, sealed: str | None) -> bool:
    """Whether the directory exists and still has every file of the seal in its full size."""
    return has_files(directory, json.loads(sealed or "{}"))
