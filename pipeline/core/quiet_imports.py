"""TensorFlow in the user's own process, without what it has to say while it is loaded."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator

_ERRORS_ONLY = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_USE_LEGACY_KERAS": "1"}


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Warnings of other packages are nothing the user could change."""
    for name, value in _ERRORS_ONLY.items():
        os.environ.setdefault(name, value)
    level = logging.root.manager.disable
    with warnings.catch_warnings(), _native_words_aside():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(level)


@contextlib.contextmanager
def _native_words_aside() -> Iterator[None]:
    """TensorFlow's C++ tells of the processor before it has read how much it should tell."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as aside:
        os.dup2(aside.fileno(), 2)
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
