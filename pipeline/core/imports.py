"""Imports of TensorFlow and TFX that are quick, and quiet where a user watches the terminal."""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import shutil
import subprocess
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
_KNOWN = (
    "Unable to register cu(FFT|DNN|BLAS) factory"
    "|Could not find cuda drivers on your machine|Could not find TensorRT"
    "|oneDNN custom operations are on|All log messages before absl::InitializeLog"
)
"""TensorFlow's lines at each import on each machine. Its log level does not help: some lines come
before TensorFlow reads the level, others are errors, as are those of a GPU that fails."""
_FILTER = ["grep", "--line-buffered", "--text", "-v", "-E", _KNOWN]
_ERRORS_ONLY = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """Imports inside are faster, and write no lines about CUDA to the log.

    They are faster without garbage collection, and without unused packages.

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
        with _without_known_lines():
            yield
    finally:
        gc.freeze()
        if collects:
            gc.enable()
        for name in absent:
            sys.modules.pop(name, None)


@contextlib.contextmanager
def _without_known_lines() -> Iterator[None]:
    """Another process filters the standard error stream: it passes on what a crash said last."""
    if shutil.which(_FILTER[0]) is None:
        yield
        return
    sys.stderr.flush()
    kept = os.dup(2)
    # A session of its own, so that signals to this process group leave the stream open.
    reader = subprocess.Popen(_FILTER, stdin=subprocess.PIPE, stdout=kept, start_new_session=True)
    assert reader.stdin is not None
    os.dup2(reader.stdin.fileno(), 2)
    reader.stdin.close()
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        # A process that an import has started may keep the stream open.
        with contextlib.suppress(subprocess.TimeoutExpired):
            reader.wait(timeout=1)


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
