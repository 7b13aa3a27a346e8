"""Imports of TensorFlow and TFX that are quick, and quiet where a user watches the terminal."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator

_OPTIONAL = ("kubernetes_validate", "matplotlib")
"""Packages that the Kubernetes client and Keras import where they are installed, and no run uses.

Of the 9.6 s of CPU time until the DAG can run, measured in this project's environment,
`kubernetes_validate` costs 2.1 s (it builds a parser of addresses at each import) and `matplotlib`
0.7 s.
"""
_ERRORS_ONLY = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """Imports inside are faster: without garbage collection, and without unused packages.

    Imported objects stay, so looking for garbage among them wastes a fifth of the time; later
    collections skip them too. The packages of `_OPTIONAL` look absent inside. Code that imports
    them afterwards gets them.
    """
    absent = [name for name in _OPTIONAL if name not in sys.modules]
    # The import system takes None for a module that is known to be absent.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
        for name in absent:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def quiet_imports() -> Iterator[None]:
    """Imports inside write nothing to the terminal: the user cannot change other packages."""
    for name, value in _ERRORS_ONLY.items():
        os.environ.setdefault(name, value)
    level = logging.root.manager.disable
    with warnings.catch_warnings(), _without_native_output():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(level)


@contextlib.contextmanager
def _without_native_output() -> Iterator[None]:
    """TensorFlow's C++ code logs the processor before it reads its log level."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as discarded:
        os.dup2(discarded.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
