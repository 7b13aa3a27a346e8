"""Tells whether two SavedModels are one model, whatever their paths.

Equal run keys do not tell: a time limit, parameter servers and some operations of GPUs give a
repeated training other weights. Equal paths do not tell either: a new metadata file counts its
executions from one again.
"""

from __future__ import annotations

import filecmp
import os

from pipeline.core.contracts import EXPORTS_DIRECTORY, ArtifactFile
from pipeline.core.files import file_sizes

_FINGERPRINT = "fingerprint.pb"
"""It holds hashes of the other files, and in newer versions of TensorFlow a random id."""


def is_same_saved_model(one: str, other: str, *, same_key: bool) -> bool:
    """Returns whether two local directories hold the same model, byte by byte.

    Exports beside a SavedModel do not count. A directory that is gone equals none.

    Args:
      same_key: whether both models have the same run key. Then code, settings and data are equal,
        and with them the graph: only weights and vocabularies can differ. The graph's file does not
        count then, since TensorFlow numbers its functions anew in each process.
    """
    ignored = {_FINGERPRINT, ArtifactFile.SAVED_MODEL} if same_key else {_FINGERPRINT}
    files = _list_files(one, ignored)
    return (
        bool(files)
        and files == _list_files(other, ignored)
        and all(
            filecmp.cmp(os.path.join(one, path), os.path.join(other, path), shallow=False)
            for path in files
        )
    )


def _list_files(directory: str, ignored: set[str]) -> dict[str, int]:
    return {
        path: size
        for path, size in file_sizes(directory).items()
        if path not in ignored and not path.startswith(f"{EXPORTS_DIRECTORY}/")
    }
